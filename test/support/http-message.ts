/**
 * A small strict parser of HTTP/1.1 messages (RFC 9112) for tests. It accepts only what a careful peer
 * would send and throws on anything else, so a test sees the fault and not a friendly reading of it.
 */
export type HeaderLine = readonly [name: string, value: string];

export interface MessageHead {
  readonly startLine: string;
  /** As received: case, order and repetition kept. */
  readonly headers: readonly HeaderLine[];
}

export interface Body {
  readonly body: Buffer;
  readonly trailers: readonly HeaderLine[];
  /** False when the connection ended (or the bytes given end) before the message did. */
  readonly complete: boolean;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const CRLF = Buffer.from('\r\n');
const BLANK_LINE = Buffer.from('\r\n\r\n');

/** Reads bytes from the front; `null` from its methods means that more bytes are needed. */
export class MessageReader {
  constructor(private rest: Buffer) {}

  get remaining(): Buffer {
    return this.rest;
  }

  /** The next message head, or null when it is not whole yet. */
  head(): MessageHead | null {
    const end = this.rest.indexOf(BLANK_LINE);
    if (end < 0) return null;
    const lines = this.take(end).toString('latin1').split('\r\n');
    this.take(BLANK_LINE.length);
    for (const line of lines) refuseStrayBreaks(line);
    const [startLine = '', ...fields] = lines;
    return { startLine, headers: fields.map(parseField) };
  }

  fixed(length: number): Body {
    const complete = this.rest.length >= length;
    return { body: this.take(Math.min(length, this.rest.length)), trailers: [], complete };
  }

  /** RFC 9112 §7.1. */
  chunked(): Body {
    const pieces: Buffer[] = [];
    for (;;) {
      const line = this.line();
      if (line === null) return { body: Buffer.concat(pieces), trailers: [], complete: false };
      const size = chunkSize(line);
      if (size === 0) return { body: Buffer.concat(pieces), ...this.trailers() };
      if (this.rest.length < size + 2) {
        pieces.push(this.take(Math.min(size, this.rest.length)));
        return { body: Buffer.concat(pieces), trailers: [], complete: false };
      }
      pieces.push(this.take(size));
      if (this.take(2).toString('latin1') !== '\r\n') throw new Error('chunk data is not followed by CRLF');
    }
  }

  /** All that is left: a body delimited by the end of the connection. */
  untilClose(closed: boolean): Body {
    return { body: this.take(this.rest.length), trailers: [], complete: closed };
  }

  private trailers(): Pick<Body, 'trailers' | 'complete'> {
    const trailers: HeaderLine[] = [];
    for (;;) {
      const line = this.line();
      if (line === null) return { trailers, complete: false };
      if (line === '') return { trailers, complete: true };
      trailers.push(parseField(line));
    }
  }

  private line(): string | null {
    const end = this.rest.indexOf(CRLF);
    if (end < 0) return null;
    const line = this.take(end).toString('latin1');
    this.take(CRLF.length);
    refuseStrayBreaks(line);
    return line;
  }

  private take(length: number): Buffer {
    const taken = this.rest.subarray(0, length);
    this.rest = this.rest.subarray(length);
    return taken;
  }
}

/** All values of a header, in order; names compare without case. */
export function valuesOf(headers: readonly HeaderLine[], name: string): string[] {
  const wanted = name.toLowerCase();
  return headers.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value);
}

/**
 * How a message's body ends, from its headers: 'chunked', a length in bytes, or null when neither is said.
 * Refuses what RFC 9112 §6 calls an error or an attack: both at once, differing lengths, other codings.
 */
export function framingOf(headers: readonly HeaderLine[]): 'chunked' | number | null {
  const codings = valuesOf(headers, 'transfer-encoding');
  const lengths = valuesOf(headers, 'content-length');
  if (codings.length > 0 && lengths.length > 0) throw new Error('both Transfer-Encoding and Content-Length');
  if (codings.length > 0) {
    if (codings.length > 1 || codings[0]!.toLowerCase() !== 'chunked') {
      throw new Error(`unexpected Transfer-Encoding: ${codings.join(' | ')}`);
    }
    return 'chunked';
  }
  if (lengths.length === 0) return null;
  if (lengths.length > 1 || !/^\d+$/.test(lengths[0]!)) {
    throw new Error(`bad Content-Length: ${lengths.join(' | ')}`);
  }
  return Number(lengths[0]);
}

function parseField(line: string): HeaderLine {
  const colon = line.indexOf(':');
  const name = line.slice(0, colon);
  if (colon < 1 || !TOKEN.test(name)) throw new Error(`bad header line: ${JSON.stringify(line)}`);
  return [name, line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, '')];
}

function chunkSize(line: string): number {
  const size = line.split(';', 1)[0]!.trimEnd();
  if (!/^[0-9A-Fa-f]{1,8}$/.test(size)) throw new Error(`bad chunk size: ${JSON.stringify(line)}`);
  return Number.parseInt(size, 16);
}

function refuseStrayBreaks(line: string): void {
  if (/[\r\n\0]/.test(line)) throw new Error(`CR, LF or NUL inside a line: ${JSON.stringify(line)}`);
}
