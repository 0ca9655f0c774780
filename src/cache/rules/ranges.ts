/** One part of a body: first and last byte, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const SINGLE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * The part that a `Range` value asks for (RFC 9110 §14.1.2). Null for what may be ignored: several ranges, other units,
 * what is malformed. `unsatisfiable` when it lies outside the body (416).
 */
export function rangeOf(value: string, length: number): ByteRange | 'unsatisfiable' | null {
  const parts = SINGLE.exec(value);
  if (parts === null) return null;
  const [, from = '', to = ''] = parts;
  if (from === '') return to === '' ? null : suffix(Number(to), length);
  const first = Number(from);
  const last = to === '' ? Infinity : Number(to);
  if (last < first) return null;
  return first >= length ? 'unsatisfiable' : { first, last: Math.min(last, length - 1) };
}

function suffix(bytes: number, length: number): ByteRange | 'unsatisfiable' {
  if (bytes === 0 || length === 0) return 'unsatisfiable';
  return { first: Math.max(0, length - bytes), last: length - 1 };
}
