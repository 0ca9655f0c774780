const CLOSE_OPCODE = 0x8;

/**
 * Finds where frames begin in one direction of a WebSocket (RFC 6455 §5.2), so that a frame of the gateway's own can
 * be put between two others. It reads headers and counts payloads; it judges nothing: bytes that are no frames only
 * mean that no border is found.
 */
export class FrameBorders {
  /** A close frame has begun to pass: no other frame may follow it. */
  closeSeen = false;
  /** Header bytes of the frame read so far, and how many there are in all as far as is known. */
  #seen = 0;
  #header = 2;
  #opcode = 0;
  #length = 0;
  #lengthBytes = 0;
  /** Payload bytes that are still to come. */
  #payload = 0;

  get atBorder(): boolean {
    return this.#seen === 0 && this.#payload === 0;
  }

  /** Reads all of a chunk. */
  pass(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) at = this.#step(chunk, at);
  }

  /** Reads a chunk up to the first border in it; where that is, or -1 when there is none. */
  passToBorder(chunk: Buffer): number {
    for (let at = 0; at < chunk.length;) {
      at = this.#step(chunk, at);
      if (this.atBorder) return at;
    }
    return -1;
  }

  #step(chunk: Buffer, at: number): number {
    if (this.#payload === 0) {
      this.#readHeader(chunk[at]!);
      return at + 1;
    }
    const passed = Math.min(this.#payload, chunk.length - at);
    this.#payload -= passed;
    return at + passed;
  }

  #readHeader(byte: number): void {
    const index = this.#seen++;
    if (index === 0) this.#opcode = byte & 0x0f;
    else if (index === 1) this.#readLengths(byte);
    else if (index < 2 + this.#lengthBytes) this.#length = this.#length * 256 + byte;
    if (this.#seen < this.#header) return;
    this.#payload = this.#length;
    this.#seen = 0;
    this.#header = 2;
    if (this.#opcode === CLOSE_OPCODE) this.closeSeen = true;
  }

  #readLengths(byte: number): void {
    const short = byte & 0x7f;
    this.#lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
    this.#length = this.#lengthBytes === 0 ? short : 0;
    this.#header = 2 + this.#lengthBytes + (byte & 0x80 ? 4 : 0);
  }
}
