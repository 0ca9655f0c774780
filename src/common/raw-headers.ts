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

/** The values of all lines of that name, joined by comma and space (RFC 9110 §5.3); null when there is none. */
export function joinedHeader(raw: readonly string[], lowerCaseName: string): string | null {
  let value: string | null = null;
  let at = indexOfHeader(raw, lowerCaseName);
  for (; at >= 0; at = indexOfHeader(raw, lowerCaseName, at + 2))
    value = value === null ? raw[at + 1]! : `${value}, ${raw[at + 1]!}`;
  return value;
}

/** Those lines whose names, in lower case, are not in the set: a list of its own. */
export function linesWithout(raw: readonly string[], lowerCaseNames: ReadonlySet<string>): string[] {
  const kept: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    if (!lowerCaseNames.has(raw[at]!.toLowerCase())) kept.push(raw[at]!, raw[at + 1]!);
  }
  return kept;
}

/** Takes the lines with these names out, in place. */
export function removeLines(raw: string[], lowerCaseNames: ReadonlySet<string>): void {
  const kept = linesWithout(raw, lowerCaseNames);
  raw.length = 0;
  raw.push(...kept);
}
