const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
// Outside quotes RFC 7239 wants a token; many proxies write an IPv4 address with a port bare all the same.
const BARE = /[^\s",;=]+/y;
const QUOTED = /"(?:[^"\\]|\\.)*"/y;
const SPACE = /[ \t]*/y;

/**
 * The `for` nodes of a `Forwarded` header (RFC 7239 §4) from first to last; null where an element names none.
 * A malformed header is `[null]`: where an element ends is then the sender's guess, so nothing of it is believed.
 */
export function forwardedNodes(value: string): (string | null)[] {
  const reader = new Reader(value);
  const nodes: (string | null)[] = [];
  for (;;) {
    const node = reader.element();
    if (node === undefined) return [null];
    nodes.push(node);
    if (reader.atEnd) return nodes;
    if (!reader.skip(',')) return [null];
  }
}

class Reader {
  #at = 0;

  constructor(readonly text: string) {}

  get atEnd(): boolean {
    return this.#at === this.text.length;
  }

  /** The element's `for` value, null without one, undefined when it is malformed. */
  element(): string | null | undefined {
    let node: string | null = null;
    do {
      this.#match(SPACE);
      const name = this.#match(TOKEN);
      if (name === '' || !this.skip('=')) return undefined;
      const value = this.#value();
      if (value === '') return undefined;
      if (name.toLowerCase() === 'for') node = value;
      this.#match(SPACE);
    } while (this.skip(';'));
    return node;
  }

  skip(char: string): boolean {
    if (this.text[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #value(): string {
    const quoted = this.#match(QUOTED);
    return quoted === '' ? this.#match(BARE) : quoted.slice(1, -1).replaceAll(/\\(.)/g, '$1');
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ''] = pattern.exec(this.text) ?? [];
    this.#at += found.length;
    return found;
  }
}
