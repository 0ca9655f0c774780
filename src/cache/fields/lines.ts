/** Header lines: name, value, name, value, …. Names are compared without case; `name` is in lower case. */

/** The values of all lines of this name, joined by comma and space (RFC 9110 §5.3); null when there is none. */
export function valueOf(lines: readonly string[], name: string): string | null {
  let value: string | null = null;
  for (let at = 0; at < lines.length; at += 2) {
    const known = lines[at]!;
    if (known.length !== name.length || known.toLowerCase() !== name) continue;
    value = value === null ? lines[at + 1]! : `${value}, ${lines[at + 1]!}`;
  }
  return value;
}

/** Those lines whose names are not in the set: a list of its own. */
export function linesWithout(lines: readonly string[], names: ReadonlySet<string>): string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at += 2) {
    if (!names.has(lines[at]!.toLowerCase())) kept.push(lines[at]!, lines[at + 1]!);
  }
  return kept;
}

/** Takes the lines with these names out, in place. */
export function removeLines(lines: string[], names: ReadonlySet<string>): void {
  const kept = linesWithout(lines, names);
  lines.length = 0;
  lines.push(...kept);
}
