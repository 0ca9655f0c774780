import { keysOf } from '../keys/key.js';
import type { Kind } from '../keys/kind.js';

/** Gives data that was copied out of a document the classes that its keys declare, and freezes it. In place. */
export function revive(kind: Kind, value: unknown): void {
  // What is frozen already stands in a second place.
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(Array.isArray(value) ? reviveList(kind, value) : reviveMap(kind, value));
}

function reviveList(kind: Kind, items: readonly unknown[]): object {
  const { element } = memberOf(kind, ['list']) ?? { element: kind };
  for (const item of items) revive(element, item);
  return items;
}

function reviveMap(kind: Kind, map: object): object {
  const member = memberOf(kind, ['object', 'record']);
  if (member?.shape === 'object') {
    Object.setPrototypeOf(map, member.type.prototype as object);
    for (const [name, spec] of keysOf(member.type)) revive(spec.kind, Reflect.get(map, name));
    return map;
  }
  if (member) Object.setPrototypeOf(map, null);
  for (const item of Object.values(map)) revive(member?.element ?? kind, item);
  return map;
}

/** The kind, or what of a union has one of the shapes; undefined where anything may stand. */
function memberOf<S extends Kind['shape']>(
  kind: Kind,
  shapes: readonly S[],
): Extract<Kind, { shape: S }> | undefined {
  const members = kind.shape === 'union' ? kind.members : [kind];
  return members.find((member): member is Extract<Kind, { shape: S }> =>
    (shapes as readonly string[]).includes(member.shape),
  );
}
