import type { SchemaProblem } from '../config/validation/schema-check.js';

/** How deep arrays and objects may stand in each other. */
export const DEEPEST = 64;

export type ParsedJson = { readonly value: unknown } | { readonly problem: SchemaProblem };

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads a JSON text (RFC 8259) in the one way that everybody must read it: UTF-8, no key twice in one object, not deeper
 * than {@link DEEPEST}.
 */
export function parseJson(bytes: Uint8Array): ParsedJson {
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    return problem('must be UTF-8');
  }
  const fault = new JsonScan(text).fault();
  if (fault !== null) return { problem: fault };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return problem('must be JSON');
  }
}

function problem(message: string): { readonly problem: SchemaProblem } {
  return { problem: { pointer: '', message } };
}

const STRING = /"(?:[^"\\]|\\[^])*"/y;
/** What matters of the rest of a JSON text. */
const MARK = /["{}[\],]/g;

/** Looks at a text's structure alone: whether it is JSON is for the parser to say. */
class JsonScan {
  /** The keys of each open object; null for an open array. */
  readonly #open: (Set<string> | null)[] = [];
  #keyExpected = false;
  #at = 0;

  constructor(private readonly text: string) {}

  fault(): SchemaProblem | null {
    for (let mark = this.#next(); mark !== undefined; mark = this.#next()) {
      if (mark === '"') {
        const key = this.#string();
        if (key !== null && !this.#isNew(key))
          return { pointer: '', message: 'must not have a key twice in one object' };
      } else if (mark === '{' || mark === '[') {
        if (this.#open.length === DEEPEST)
          return { pointer: '', message: `must not be deeper than ${DEEPEST} levels` };
        this.#open.push(mark === '{' ? new Set() : null);
        this.#keyExpected = mark === '{';
      } else if (mark === ',') this.#keyExpected = this.#object !== null;
      else {
        this.#open.pop();
        this.#keyExpected = false;
      }
    }
    return null;
  }

  get #object(): Set<string> | null {
    return this.#open.at(-1) ?? null;
  }

  #next(): string | undefined {
    MARK.lastIndex = this.#at;
    const found = MARK.exec(this.text);
    this.#at = MARK.lastIndex;
    return found?.[0];
  }

  /** Passes a string; returns it where it is a key. */
  #string(): string | null {
    STRING.lastIndex = this.#at - 1;
    const [token = ''] = STRING.exec(this.text) ?? [];
    this.#at = token === '' ? this.text.length : STRING.lastIndex;
    const isKey = this.#keyExpected;
    this.#keyExpected = false;
    return isKey ? meaningOf(token) : null;
  }

  #isNew(key: string): boolean {
    const keys = this.#object!;
    const before = keys.size;
    keys.add(key);
    return keys.size > before;
  }
}

/** `"\u0061"` and `"a"` are the same key. */
function meaningOf(token: string): string | null {
  if (!token.includes('\\')) return token;
  try {
    return `"${JSON.parse(token) as string}"`;
  } catch {
    return null;
  }
}
