/** How the end of a body is told: its length in bytes, chunks, or the end of the connection. */
export type Framing = number | 'chunked' | 'close';

/** Reads one body piece by piece (RFC 9112 §6, §7.1), strictly: throws on anything a careful peer would not send. */
export class BodyReader {
  complete = false;
  bytes = 0;
  trailers: string[] = [];
  #state: 'data' | 'size' | 'break' | 'trailers';
  #left: number;
  #line = '';

  constructor(
    readonly framing: Framing,
    readonly piece: (bytes: Buffer) => void,
  ) {
    this.#state = framing === 'chunked' ? 'size' : 'data';
    this.#left = typeof framing === 'number' ? framing : Infinity;
    if (framing === 0) this.complete = true;
  }

  /** Takes what belongs to the body and returns what follows it. */
  take(bytes: Buffer): Buffer {
    let rest = bytes;
    while (rest.length > 0 && !this.complete)
      rest = this.#state === 'data' ? this.#data(rest) : this.#text(rest);
    return rest;
  }

  #data(bytes: Buffer): Buffer {
    const piece = bytes.subarray(0, Math.min(bytes.length, this.#left));
    this.#left -= piece.length;
    this.bytes += piece.length;
    this.piece(piece);
    if (this.#left === 0) {
      if (this.framing === 'chunked') this.#state = 'break';
      else this.complete = true;
    }
    return bytes.subarray(piece.length);
  }

  #text(bytes: Buffer): Buffer {
    const end = bytes.indexOf(10);
    this.#line += bytes.toString('latin1', 0, end === -1 ? bytes.length : end + 1);
    if (this.#line.length > 1024) throw new Error(`endless line between chunks: ${this.#line.slice(0, 60)}`);
    if (end === -1) return bytes.subarray(bytes.length);
    if (!this.#line.endsWith('\r\n'))
      throw new Error(`bare LF in chunked coding: ${JSON.stringify(this.#line)}`);
    const line = this.#line.slice(0, -2);
    this.#line = '';
    this.#onLine(line);
    return bytes.subarray(end + 1);
  }

  #onLine(line: string): void {
    if (this.#state === 'trailers') {
      if (line === '') this.complete = true;
      else this.trailers.push(line);
    } else if (this.#state === 'break') {
      if (line !== '') throw new Error(`chunk data is not followed by CRLF but ${JSON.stringify(line)}`);
      this.#state = 'size';
    } else {
      if (!/^[0-9a-f]{1,8}$/i.test(line)) throw new Error(`bad chunk size ${JSON.stringify(line)}`);
      this.#left = Number.parseInt(line, 16);
      this.#state = this.#left === 0 ? 'trailers' : 'data';
    }
  }
}
