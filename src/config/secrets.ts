/** What may be shown in the place of a value, by the object (or list) that holds it and its key there. */
const HIDDEN = new WeakMap<object, Map<string | number, string>>();

/** Shown for secrets that stand in the document itself. */
export const MASK = '***';

/** Marks a value that came from a reference or is a secret: only `mark` may appear in an API, log or error. */
export function hide(owner: object, key: string | number, mark: string): void {
  const marks = HIDDEN.get(owner);
  if (marks) marks.set(key, mark);
  else HIDDEN.set(owner, new Map([[key, mark]]));
}

/** What may be shown of the value, or undefined when it may be shown itself. */
export function hiddenAs(owner: object, key: string | number): string | undefined {
  return HIDDEN.get(owner)?.get(key);
}

/** The value as an error may show it: short, and never one that is hidden; empty for lists and maps. */
export function shown(owner: object, key: string | number): string {
  const hidden = hiddenAs(owner, key);
  if (hidden === MASK) return 'the value';
  if (hidden !== undefined) return `the value of ${hidden}`;
  const value: unknown = Reflect.get(owner, key);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return '';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** Carries the mark of one value over to another place that holds it too. */
export function copyMark(from: object, to: object, key: string): void {
  const mark = hiddenAs(from, key);
  if (mark !== undefined) hide(to, key, mark);
}

/**
 * A plain copy of a loaded document (or a part of it) in which every hidden value is replaced: values of
 * references by the reference (`${NAME}`), other secrets by `***`.
 */
export function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item, index) => hiddenAs(value, index) ?? masked(item));
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.entries(value).map(
    ([key, item]) => [key, hiddenAs(value, key) ?? masked(item)] as const,
  );
  return Object.fromEntries(copy);
}

/** What may be shown of one value, by the keys that lead to it. */
export interface Mark {
  readonly path: readonly (string | number)[];
  readonly mark: string;
}

/** The marks of all hidden values in a document (or a part of it). */
export function marksIn(value: unknown, path: Mark['path'] = []): Mark[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.from(HIDDEN.get(value) ?? [], ([key, mark]) => ({ path: [...path, key], mark }));
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  const deeper = entries.flatMap(([key, item]) => marksIn(item, [...path, key]));
  return [...own, ...deeper];
}

/** Hides the same values in a copy. */
export function applyMarks(copy: object, marks: readonly Mark[]): void {
  for (const { path, mark } of marks) {
    const owner = path.slice(0, -1).reduce<unknown>((at, key) => Reflect.get(at as object, key), copy);
    hide(owner as object, path.at(-1)!, mark);
  }
}
