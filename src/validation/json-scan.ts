/** How deep arrays and objects may stand in each other. */
export const DEEPEST = 64;
/** How many values a text may hold, arrays, objects and keys counted: what parsing and checking it costs. */
export const MOST_VALUES = 100_000;

const QUOTE = code('"');
const BACKSLASH = code('\\');
const COMMA = code(',');
const COLON = code(':');
const OBJECT = code('{');
const OBJECT_END = code('}');
const ARRAY = code('[');
const ARRAY_END = code(']');
/** White space (RFC 8259 §2) and whatever else no value begins with. */
const LAST_SPACE = code(' ');

/**
 * Looks at a text's structure alone, in one pass that stops at the first fault: whether it is JSON is for the parser to
 * say. By hand, since expressions overflow the stack on strings of megabytes.
 */
export class JsonScan {
  /** The keys of each open object; null for an open array. */
  readonly #open: (Set<string> | null)[] = [];
  #keyExpected = false;
  #at = 0;
  #values = 0;

  constructor(private readonly text: string) {}

  /** What is wrong; null = nothing that can be seen from here. */
  fault(): string | null {
    const { text } = this;
    while (this.#at < text.length) {
      const fault = this.#mark(text.charCodeAt(this.#at++));
      if (fault !== null) return fault;
      if (this.#values > MOST_VALUES) return `must not hold more than ${MOST_VALUES} values and keys`;
    }
    return null;
  }

  #mark(mark: number): string | null {
    if (mark <= LAST_SPACE || mark === COLON) return null;
    if (mark === QUOTE) return this.#string();
    if (mark === OBJECT || mark === ARRAY) return this.#enter(mark === OBJECT ? new Set() : null);
    if (mark === COMMA) this.#keyExpected = this.#object !== null;
    else if (mark === OBJECT_END || mark === ARRAY_END) this.#leave();
    else this.#scalar();
    return null;
  }

  get #object(): Set<string> | null {
    return this.#open.at(-1) ?? null;
  }

  #enter(keys: Set<string> | null): string | null {
    if (this.#open.length === DEEPEST) return `must not be deeper than ${DEEPEST} levels`;
    this.#values++;
    this.#open.push(keys);
    this.#keyExpected = keys !== null;
    return null;
  }

  #leave(): void {
    this.#open.pop();
    this.#keyExpected = false;
  }

  /** A number, `true`, `false` or `null`, or what is none. */
  #scalar(): void {
    this.#values++;
    while (this.#at < this.text.length && isPlain(this.text.charCodeAt(this.#at))) this.#at++;
  }

  /** Passes a string; says what is wrong with it where it is a key. */
  #string(): string | null {
    this.#values++;
    const start = this.#at - 1;
    this.#at = this.#endOfString(this.#at);
    const isKey = this.#keyExpected;
    this.#keyExpected = false;
    if (!isKey) return null;
    const key = meaningOf(this.text.slice(start, this.#at));
    return key === null || this.#isNew(key) ? null : 'must not have a key twice in one object';
  }

  /** Behind the quote that ends it: one behind an even number of backslashes. */
  #endOfString(from: number): number {
    for (let at = from; ;) {
      const quote = this.text.indexOf('"', at);
      if (quote < 0) return this.text.length;
      let before = quote;
      while (before > at && this.text.charCodeAt(before - 1) === BACKSLASH) before--;
      at = quote + 1;
      if ((quote - before) % 2 === 0) return at;
    }
  }

  #isNew(key: string): boolean {
    const keys = this.#object!;
    const before = keys.size;
    keys.add(key);
    return keys.size > before;
  }
}

function isPlain(mark: number): boolean {
  if (mark <= LAST_SPACE || mark === QUOTE || mark === COMMA || mark === COLON) return false;
  return mark !== OBJECT && mark !== OBJECT_END && mark !== ARRAY && mark !== ARRAY_END;
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

function code(character: string): number {
  return character.charCodeAt(0);
}
