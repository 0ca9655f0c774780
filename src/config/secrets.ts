/** What may be shown in the place of a value, by the object (or list) that holds it and its key there. */
const HIDDEN = new WeakMap<object, Map<string | number, string>>();

/** Shown for secrets that stand in the document itself. */
export const MASK = '***';

/** Marks a value that came from a reference or is a secret: only `shown` may appear in an API, log or error. */
export function hide(owner: object, key: string | number, shown: string): void {
  const marks = HIDDEN.get(owner);
  if (marks) marks.set(key, shown);
  else HIDDEN.set(owner, new Map([[key, shown]]));
}

/** What may be shown of the value, or undefined when it may be shown itself. */
export function hiddenAs(owner: object, key: string | number): string | undefined {
  return HIDDEN.get(owner)?.get(key);
}

/** Carries the mark of one value over to another place that holds it too. */
export function copyMark(from: object, to: object, key: string): void {
  const shown = hiddenAs(from, key);
  if (shown !== undefined) hide(to, key, shown);
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
