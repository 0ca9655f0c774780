/**
 * 32 bits of a text, equal in every process. FNV-1a over its code units, mixed once more: short texts that differ in
 * their last letter are far apart. Not for anything that must be hard to guess.
 */
export function textHash(text: string, seed = 0): number {
  let state = 0x811c9dc5 ^ seed;
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  return mixBits(state);
}

/** The finaliser of MurmurHash3: every bit of the result depends on every bit of the state. */
export function mixBits(state: number): number {
  let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** 32 bits as a number from above 0 to below 1. */
export function unitOf(bits: number): number {
  return ((bits >>> 0) + 0.5) / 2 ** 32;
}
