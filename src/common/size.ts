/** A size as operators write it: `16kb`, `1mb`, `512b`; units are powers of 1,024. */
export type Size = string;

const UNITS: Record<string, number> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };
const PATTERN = /^(\d+)(b|kb|mb|gb)$/;

/** JSON Schema pattern of a size. */
export const SIZE_PATTERN = '^\\d+(b|kb|mb|gb)$';

/** Whether the text is a size. */
export function isSize(text: unknown): text is Size {
  return typeof text === 'string' && PATTERN.test(text);
}

/** The size in bytes. The number 0 stands for itself ("no limit"). Throws a RangeError for anything else. */
export function sizeBytes(size: Size | 0): number {
  if (size === 0) return 0;
  const parts = PATTERN.exec(size);
  if (!parts) throw new RangeError(`not a size: ${size}`);
  return Number(parts[1]) * UNITS[parts[2]!]!;
}
