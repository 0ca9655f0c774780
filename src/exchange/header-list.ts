import { validateHeaderName, validateHeaderValue } from 'node:http';

/** What a list of headers may be made of. */
export type HeaderSource =
  | HeaderList
  | Readonly<Record<string, string | readonly string[]>>
  | Iterable<readonly [name: string, value: string]>;

/**
 * Header lines in order, with their case and repetition. Names are compared without case. Names and values that
 * cannot stand in a message are refused with a TypeError where they are set.
 */
export class HeaderList implements Iterable<[string, string]> {
  #lines: string[] = [];

  /** A list of its own with the lines of `source`. */
  static from(source: HeaderSource): HeaderList {
    const list = new HeaderList();
    if (source instanceof HeaderList) list.#lines = source.#lines.slice();
    else for (const [name, value] of pairsOf(source)) list.append(name, value);
    return list;
  }

  /** Takes over name, value, name, value, … as a parser read them, unchecked. */
  static ofRaw(lines: string[]): HeaderList {
    const list = new HeaderList();
    list.#lines = lines;
    return list;
  }

  /** The value; those of several lines joined by comma and space; null when there is none. */
  get(name: string): string | null {
    const values = this.getAll(name);
    return values.length === 0 ? null : values.join(', ');
  }

  /** The value of each line. */
  getAll(name: string): string[] {
    return [...this].filter(([known]) => isSame(known, name)).map(([, value]) => value);
  }

  has(name: string): boolean {
    return this.#lines.some((known, at) => at % 2 === 0 && isSame(known, name));
  }

  /** One line in the place of all lines of that name: of the first of them, else at the end. */
  set(name: string, value: string): void {
    check(name, value);
    let done = false;
    this.#lines = [...this].flatMap(([known, old]) => {
      if (!isSame(known, name)) return [known, old];
      if (done) return [];
      done = true;
      return [known, value];
    });
    if (!done) this.#lines.push(name, value);
  }

  /** One more line at the end. */
  append(name: string, value: string): void {
    check(name, value);
    this.#lines.push(name, value);
  }

  /** Removes all lines of that name. */
  delete(name: string): void {
    this.#lines = [...this].flatMap(([known, value]) => (isSame(known, name) ? [] : [known, value]));
  }

  /** Name, value, name, value, …: a copy. */
  toRaw(): string[] {
    return this.#lines.slice();
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    for (let at = 0; at < this.#lines.length; at += 2) yield [this.#lines[at]!, this.#lines[at + 1]!];
  }
}

/** Throws a TypeError for a name or value that cannot stand in a message (RFC 9110 §5.1, §5.5). */
function check(name: string, value: string): void {
  validateHeaderName(name);
  validateHeaderValue(name, value);
}

/** The lines of `headers` (name, value, …) from `first` on are such as can be sent. Throws a TypeError. */
export function checkRawHeaders(headers: readonly unknown[], first = 0): void {
  if (headers.length % 2 !== 0) throw new TypeError('headers must be name, value, name, value, …');
  for (let at = first; at < headers.length; at += 2) check(headers[at] as string, headers[at + 1] as string);
}

function* pairsOf(source: Exclude<HeaderSource, HeaderList>): Generator<readonly [string, string]> {
  if (Symbol.iterator in source) return yield* source as Iterable<readonly [string, string]>;
  for (const [name, value] of Object.entries(source)) {
    for (const one of Array.isArray(value) ? (value as string[]) : [value as string]) yield [name, one];
  }
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && a.toLowerCase() === b.toLowerCase();
}
