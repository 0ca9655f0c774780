/** One parameter of queries, found by its name after percent-decoding; the others keep their bytes. */
export class QueryParameter {
  /** Bytes as `latin1` text, like all that a parser gives. */
  readonly #name: string;

  constructor(name: string) {
    this.#name = Buffer.from(name).toString('latin1');
  }

  /** The decoded values, bytes as `latin1` text. `query` is empty or begins with `?`. */
  values(query: string): string[] {
    return pieces(query)
      .filter((piece) => this.#is(piece))
      .map((piece) => percentDecoded(piece.slice(nameEnd(piece) + 1)));
  }

  /** The query without the parameter: the same text where it has none, empty where nothing else stands in it. */
  without(query: string): string {
    const all = pieces(query);
    const rest = all.filter((piece) => !this.#is(piece));
    if (rest.length === all.length) return query;
    return rest.length === 0 ? '' : `?${rest.join('&')}`;
  }

  #is(piece: string): boolean {
    return percentDecoded(piece.slice(0, nameEnd(piece))) === this.#name;
  }
}

function pieces(query: string): string[] {
  return query === '' ? [] : query.slice(1).split('&');
}

function nameEnd(piece: string): number {
  const equals = piece.indexOf('=');
  return equals < 0 ? piece.length : equals;
}

/** What is no escape stays as it is. A plus sign is one: keys in base64 hold some (RFC 3986 §2.2). */
function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
