import { hiddenAs, shown } from '../secrets.js';
import {
  type Kind,
  type ListKind,
  Misfit,
  type RecordKind,
  type ScalarKind,
  type UnionKind,
} from './kind.js';

/** A fault of the value that `owner` holds under `key`; an empty message was reported before. */
export interface Problem {
  readonly owner: object;
  readonly key: string | number;
  readonly message: string;
}

const EXPECTED = ', expected ';

/** Everything wrong with a value that was read; the insides of objects are judged on their own. */
export function problemsOf(kind: Kind, value: unknown, owner: object, key: string | number): Problem[] {
  if (value instanceof Misfit && value.description === null) return [{ owner, key, message: '' }];
  if (value === null && kind.nullable) return [];
  if (kind.shape === 'scalar') return scalarProblems(kind, value, owner, key);
  if (kind.shape === 'union') return unionProblems(kind, value, owner, key);
  if (kind.shape === 'list' && Array.isArray(value)) return listProblems(kind, value, owner, key);
  if (kind.shape === 'record' && isMap(value)) return recordProblems(kind, value, owner, key);
  return fitsWhole(kind, value) ? [] : [misfit(kind, value, owner, key)];
}

/** Objects and free values are judged by their shape alone. */
function fitsWhole(kind: Kind, value: unknown): boolean {
  if (kind.shape === 'object') return value instanceof kind.type;
  return kind.shape === 'any' && !(value instanceof Misfit) && (!kind.map || isMap(value));
}

function unionProblems(kind: UnionKind, value: unknown, owner: object, key: string | number): Problem[] {
  const member = memberFor(kind, value);
  if (!member) return [misfit(kind, value, owner, key)];
  // That a single value is expected would hide all the others.
  const whole = isSingleValue(member) ? { ...member, expected: kind.expected } : member;
  return problemsOf(whole, value, owner, key);
}

function isSingleValue(kind: Kind): boolean {
  return kind.shape === 'scalar' && 'const' in kind.schema;
}

/** The member of a union that a value is meant for. */
function memberFor(kind: UnionKind, value: unknown): Kind | undefined {
  const scalars = kind.members
    .filter((member) => member.shape === 'scalar')
    .filter((member) => member.takes(value));
  if (scalars.length > 0)
    return scalars.find((member) => member.check(value as never) === undefined) ?? scalars.at(0);
  return kind.members.find((member) => {
    if (member.shape === 'list') return Array.isArray(value);
    if (member.shape === 'object') return value instanceof member.type;
    return (member.shape === 'record' || member.shape === 'any') && isMap(value);
  });
}

function scalarProblems(kind: ScalarKind, value: unknown, owner: object, key: string | number): Problem[] {
  if (!kind.takes(value)) return [misfit(kind, value, owner, key)];
  const wrong = kind.check(value as never);
  return wrong === undefined ? [] : [problem(kind, `${shown(owner, key)} ${wrong}`, value, owner, key)];
}

function listProblems(kind: ListKind, list: unknown[], owner: object, key: string | number): Problem[] {
  const problems = list.flatMap((item, index) => problemsOf(kind.element, item, list, index));
  if (list.length < kind.min) problems.push({ owner, key, message: `is empty, expected ${kind.expected}` });
  if (kind.unique && problems.length === 0) {
    const twice = list.findIndex((item, index) => list.indexOf(item) !== index);
    const message = `${shown(list, twice)} stands twice in the list, expected it once`;
    if (twice !== -1) problems.push({ owner: list, key: twice, message });
  }
  return problems;
}

function recordProblems(kind: RecordKind, map: object, owner: object, key: string | number): Problem[] {
  const problems: Problem[] = [];
  for (const [name, item] of Object.entries(map)) {
    const wrong = kind.keys.check(name as never);
    if (wrong !== undefined) {
      problems.push({ owner: map, key: name, message: `the key ${wrong}, expected ${kind.keys.expected}` });
    }
    problems.push(...problemsOf(kind.element, item, map, name));
  }
  const count = Object.keys(map).length;
  if (count < kind.min) problems.push({ owner, key, message: `is empty, expected ${kind.expected}` });
  return problems;
}

function misfit(kind: Kind, value: unknown, owner: object, key: string | number): Problem {
  const text = `${shown(owner, key)} ${describe(value)}`.trim();
  return problem(kind, text, value, owner, key);
}

function problem(kind: Kind, wrong: string, value: unknown, owner: object, key: string | number): Problem {
  const hint = hiddenAs(owner, key) === undefined ? hintOf(kind, value) : undefined;
  const expected = wrong.includes(EXPECTED) ? '' : `${EXPECTED}${kind.expected}`;
  return { owner, key, message: `${wrong}${expected}${hint === undefined ? '' : `: ${hint}`}` };
}

function hintOf(kind: Kind, value: unknown): string | undefined {
  if (kind.shape === 'scalar') return kind.hint?.(value);
  const members = kind.shape === 'union' ? kind.members : [];
  return members.map((member) => hintOf(member, value)).find((hint) => hint !== undefined);
}

function describe(value: unknown): string {
  if (value instanceof Misfit) return `is ${value.description}`;
  if (value === null || value === undefined) return 'is empty';
  if (Array.isArray(value)) return 'is a list';
  const names: Record<string, string> = {
    string: 'is a text',
    number: 'is a number',
    boolean: 'is a boolean',
  };
  return names[typeof value] ?? 'is a map';
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Misfit);
}
