const MARK = 'X-Gateway-Mirror';

/** The original's header lines (name, value, …) with the mark of a copy, which stands there once, whatever the client sent. */
export function mirroredLines(lines: readonly string[]): string[] {
  const marked: string[] = [];
  for (let at = 0; at < lines.length; at += 2) {
    const name = lines[at]!;
    if (name.length !== MARK.length || name.toLowerCase() !== 'x-gateway-mirror')
      marked.push(name, lines[at + 1]!);
  }
  marked.push(MARK, '1');
  return marked;
}
