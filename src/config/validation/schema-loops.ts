import { isMap, resolved, SAME_VALUE, type SchemaMap, type SchemaPart } from './schema-parts.js';

/**
 * Where a schema comes back to itself without going into the value, as `{$ref: '#'}` does: no check of it would ever
 * end. Null = nowhere.
 */
export function endlessPlace(parts: readonly SchemaPart[]): string | null {
  const targets = targetsOf(parts);
  const byMap = new Map(parts.map((part) => [part.map, part]));
  const next = (part: SchemaPart): SchemaPart[] =>
    sameValueIn(part, targets).flatMap((map) => byMap.get(map) ?? []);
  const done = new Set<SchemaPart>();
  for (const part of parts) {
    const looping = loopFrom(part, next, done);
    if (looping !== null) return looping.place;
  }
  return null;
}

/** A part on a loop that can be reached; null = there is none. By a stack of its own: schemas are as deep as they like. */
function loopFrom(
  start: SchemaPart,
  next: (part: SchemaPart) => SchemaPart[],
  done: Set<SchemaPart>,
): SchemaPart | null {
  const path = new Set<SchemaPart>();
  const waiting: { part: SchemaPart; leaving: boolean }[] = [{ part: start, leaving: false }];
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    const { part, leaving } = step;
    if (leaving) {
      path.delete(part);
      done.add(part);
    } else if (path.has(part)) return part;
    else if (!done.has(part)) {
      path.add(part);
      waiting.push({ part, leaving: true }, ...next(part).map((each) => ({ part: each, leaving: false })));
    }
  }
  return null;
}

/** Parts by each absolute reference to them; several have the same dynamic anchor. */
type Targets = ReadonlyMap<string, readonly SchemaMap[]>;

function targetsOf(parts: readonly SchemaPart[]): Targets {
  const targets = new Map<string, SchemaMap[]>();
  const add = (reference: string | undefined, map: SchemaMap): void => {
    if (reference !== undefined) targets.set(reference, [...(targets.get(reference) ?? []), map]);
  };
  const roots = parts.filter(({ map, place }) => place === '#' || typeof map['$id'] === 'string');
  for (const { map, base } of roots) add(base.replace(/#$/, ''), map);
  for (const { map, base, place } of parts) {
    const anchor = map['$dynamicAnchor'];
    if (typeof anchor === 'string') {
      add(resolved(`#${anchor}`, base), map);
      add(`dynamic ${anchor}`, map);
    }
    for (const root of roots.filter((each) => place.startsWith(`${each.place}/`)))
      add(pointerTo(place.slice(root.place.length), root.base), map);
  }
  return targets;
}

/** As `new URL` writes what a document may write in several ways. */
function pointerTo(pointer: string, base: string): string | undefined {
  return plainFragment(resolved(`#${encodeURI(pointer)}`, base));
}

function plainFragment(reference: string | undefined): string | undefined {
  if (reference === undefined || !reference.includes('#')) return reference;
  const at = reference.indexOf('#');
  try {
    return `${reference.slice(0, at)}#${decodeURIComponent(reference.slice(at + 1))}`;
  } catch {
    return reference;
  }
}

/** The schemas that a part applies to the same value. */
function sameValueIn({ map, base }: SchemaPart, targets: Targets): SchemaMap[] {
  const lists = SAME_VALUE.map((keyword) => map[keyword]);
  const dependent = isMap(map['dependentSchemas']) ? Object.values(map['dependentSchemas']) : [];
  const dynamic = map['$dynamicRef'];
  const names = [
    plainFragment(resolved(map['$ref'], base)),
    plainFragment(resolved(dynamic, base)),
    typeof dynamic === 'string' ? `dynamic ${dynamic.split('#')[1]}` : undefined,
  ];
  const referred = names.flatMap((name) => (name === undefined ? [] : (targets.get(name) ?? [])));
  return [...lists.flat(), ...dependent, ...referred].filter(isMap);
}
