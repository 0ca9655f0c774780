import { powerOf } from '../regex/ambiguity.js';
import { Automaton } from '../regex/automaton.js';
import { parseRegex } from '../regex/parser.js';
import { regexFault } from '../regex-safety.js';
import type { CheckBudget } from './check-budget.js';
import { SchemaFault } from './schema-fault.js';

/**
 * A `pattern` of a schema. Clients choose the texts, and a body has many: one that may take quadratic time draws on a
 * budget; once that is spent the whole check ends.
 */
export class SchemaPattern {
  readonly #regex: RegExp;
  readonly #isLinear: boolean;

  constructor(
    source: string,
    flags: string,
    readonly budget: CheckBudget,
  ) {
    this.#regex = compiled(source, flags);
    const judged = withoutUnicodeEscapes(source);
    const fault = regexFault(judged);
    if (fault !== undefined) throw new SchemaFault(`the pattern ${JSON.stringify(source)} ${fault}`);
    this.#isLinear = isLinear(judged);
  }

  test(text: string): boolean {
    if (!this.#isLinear) this.budget.take(text.length * text.length);
    return this.#regex.test(text);
  }

  /** ajv tells patterns apart by it. */
  toString(): string {
    return String(this.#regex);
  }
}

function compiled(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch {
    throw new SchemaFault(`the pattern ${JSON.stringify(source)} does not compile (with the flag u)`);
  }
}

/** What `\p{…}` and `\u{…}` match is judged as if it were any character: that is never faster. */
function withoutUnicodeEscapes(source: string): string {
  let inClass = false;
  return source.replaceAll(/\\[pPu]\{[^}]*\}|\\[^]|[[\]]/g, (token) => {
    if (token === '[' || token === ']') inClass = token === '[';
    if (!/^\\[pPu]\{/.test(token)) return token;
    return inClass ? '\\s\\S' : '[\\s\\S]';
  });
}

function isLinear(source: string): boolean {
  const { pattern, lookarounds } = parseRegex(source);
  const power = Math.max(...[pattern, ...lookarounds].map((part) => powerOf(new Automaton(part))));
  const isAnchored = source.startsWith('^') && !source.includes('|');
  return power + (isAnchored ? 0 : 1) <= 1;
}
