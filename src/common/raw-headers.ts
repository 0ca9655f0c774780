/**
 * Where a line of that name begins in a raw list (name, value, name, value, …), from an even index on; -1 for
 * nowhere.
 */
export function indexOfHeader(raw: readonly string[], lowerCaseName: string, from = 0): number {
  for (let at = from; at < raw.length; at += 2) {
    const name = raw[at]!;
    if (name.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName) return at;
  }
  return -1;
}

/** The value of the only line of that name; null when there is none, and when there are several. */
export function soleHeader(raw: readonly string[], lowerCaseName: string): string | null {
  const at = indexOfHeader(raw, lowerCaseName);
  return at < 0 || indexOfHeader(raw, lowerCaseName, at + 2) >= 0 ? null : raw[at + 1]!;
}
