import { linesWithout } from '../../common/raw-headers.js';

const MARK = 'X-Gateway-Mirror';
const MARKS: ReadonlySet<string> = new Set([MARK.toLowerCase()]);

/** The original's header lines (name, value, …) with the mark of a copy, which stands there once, whatever the client sent. */
export function mirroredLines(lines: readonly string[]): string[] {
  const marked = linesWithout(lines, MARKS);
  marked.push(MARK, '1');
  return marked;
}
