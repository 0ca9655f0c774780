import { isExponential } from './regex/ambiguity.js';
import { Automaton, TooComplex } from './regex/automaton.js';
import { parseRegex } from './regex/parser.js';

const MAX_LENGTH = 1000;

/** What is wrong with the source of a regular expression: it does not compile, or may take exponential time. */
export function regexFault(source: string): string | undefined {
  if (source.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (!compiles(source)) return 'is a regular expression that does not compile';
  const { pattern, lookarounds, backreference } = parseRegex(source);
  if (backreference) return 'is a regular expression with a backreference, which can take exponential time';
  try {
    const slow = [pattern, ...lookarounds].some((part) => isExponential(new Automaton(part)));
    return slow ? 'is a regular expression that can take exponential time' : undefined;
  } catch (error) {
    if (error instanceof TooComplex) return 'is a regular expression too complex to be judged';
    throw error;
  }
}

function compiles(source: string): boolean {
  try {
    return Boolean(new RegExp(source));
  } catch {
    return false;
  }
}
