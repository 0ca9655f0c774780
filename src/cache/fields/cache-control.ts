/** Seconds beyond which a number says no more than "for ever" (RFC 9111 §1.2.2). */
const MAX_SECONDS = 2 ** 31;

/** The directives of a `Cache-Control` value (RFC 9111 §5.2), names in lower case. */
export class Directives {
  readonly #values = new Map<string, (string | null)[]>();

  add(name: string, value: string | null): void {
    const known = this.#values.get(name);
    if (known === undefined) this.#values.set(name, [value]);
    else known.push(value);
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** Whether it stands there without a list of fields, and so is about the whole message. */
  isPlain(name: string): boolean {
    return this.#values.get(name)?.includes(null) ?? false;
  }

  /** The header fields that its lists name, in lower case. */
  fieldsOf(name: string): string[] {
    const values = this.#values.get(name) ?? [];
    return values.flatMap((value) => (value === null ? [] : listed(value)));
  }

  /**
   * Its number of seconds; null when it does not stand there. What is no number counts as 0, and of several numbers
   * the smallest is meant: a doubt makes a response stale (RFC 9111 §4.2.1).
   */
  seconds(name: string): number | null {
    const values = this.#values.get(name);
    if (values === undefined) return null;
    return Math.min(...values.map(deltaSeconds));
  }
}

/** Several lines are to be joined by commas. */
export function parseCacheControl(text: string): Directives {
  const directives = new Directives();
  let at = 0;
  while (at < text.length) {
    const end = nameEnd(text, at);
    const name = text.slice(at, end).trim().toLowerCase();
    const valueAt = end + 1;
    if (text[end] !== '=') {
      if (name !== '') directives.add(name, null);
      at = valueAt;
      continue;
    }
    const after = text[valueAt] === '"' ? quotedEnd(text, valueAt) : nextComma(text, valueAt);
    directives.add(name, unquoted(text.slice(valueAt, after)));
    at = nextComma(text, after) + 1;
  }
  return directives;
}

function nameEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) if (text[at] === '=' || text[at] === ',') return at;
  return text.length;
}

function nextComma(text: string, from: number): number {
  const at = text.indexOf(',', from);
  return at === -1 ? text.length : at;
}

/** Behind the closing quote. */
function quotedEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function unquoted(value: string): string {
  if (!value.startsWith('"')) return value.trim();
  return value.slice(1, value.endsWith('"') && value.length > 1 ? -1 : undefined).replace(/\\(.)/g, '$1');
}

function deltaSeconds(value: string | null): number {
  return value !== null && /^\d+$/.test(value) ? Math.min(Number(value), MAX_SECONDS) : 0;
}

function listed(value: string): string[] {
  return value
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
}
