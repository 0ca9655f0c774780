/** A set of UTF-16 units: inclusive ranges. */
export type CharSet = readonly (readonly [number, number])[];

const MAX = 0xffff;
export const DIGITS: CharSet = [[48, 57]];
export const WORD: CharSet = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
export const SPACE: CharSet = [
  [9, 13],
  [32, 32],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
/** What `.` does not match. */
export const LINE_ENDS: CharSet = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
];

export function single(unit: number): CharSet {
  return [[unit, unit]];
}

export function complement(set: CharSet): CharSet {
  const result: [number, number][] = [];
  let from = 0;
  for (const [low, high] of set.toSorted((a, b) => a[0] - b[0])) {
    if (low > from) result.push([from, low - 1]);
    from = Math.max(from, high + 1);
  }
  if (from <= MAX) result.push([from, MAX]);
  return result;
}

export function intersects(a: CharSet, b: CharSet): boolean {
  return a.some(([low, high]) => b.some(([from, to]) => low <= to && from <= high));
}
