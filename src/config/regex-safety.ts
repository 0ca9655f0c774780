import { isExponential, powerOf } from './regex/ambiguity.js';
import { Automaton, TooComplex } from './regex/automaton.js';
import { parseRegex } from './regex/parser.js';

const MAX_LENGTH = 1000;
/** A client chooses the text, up to kilobytes of it: the cube of its length is minutes. */
const MAX_POWER = 2;
const TOO_SLOW =
  'is a regular expression whose time grows faster than the square of the text: begin it with ^, or let its repetitions share no character ([^/]* in place of .*)';

/** What is wrong with the source of a regular expression: it does not compile, or may take exponential time. */
export function regexFault(source: string): string | undefined {
  if (source.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (!compiles(source)) return 'is a regular expression that does not compile';
  const { pattern, lookarounds, backreference } = parseRegex(source);
  if (backreference) return 'is a regular expression with a backreference, which can take exponential time';
  try {
    const parts = [pattern, ...lookarounds].map((part) => new Automaton(part));
    if (parts.some(isExponential)) return 'is a regular expression that can take exponential time';
    const power = Math.max(...parts.map(powerOf)) + (isAnchored(source) ? 0 : 1);
    return power > MAX_POWER ? TOO_SLOW : undefined;
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

/** Whether it is tried at the beginning of a text alone; one that is not is tried at every place of it. */
function isAnchored(source: string): boolean {
  if (!source.startsWith('^')) return false;
  const flat = source.replaceAll(/\\./g, '').replaceAll(/\[[^\]]*\]/g, '');
  let depth = 0;
  for (const character of flat) {
    if (character === '(') depth++;
    else if (character === ')') depth--;
    else if (character === '|' && depth === 0) return false;
  }
  return true;
}
