/** Room for the first bytes of a body whose length nobody knows. */
const SMALLEST = 4 * 1024;

/**
 * The bytes of one body, copied out of the pieces they come in: a piece kept as it is would keep the whole buffer that
 * the socket was read into.
 */
export class BodyCopy {
  #bytes = Buffer.alloc(0);
  #length = 0;

  /** @param limit bytes that it holds at most */
  constructor(private readonly limit: number) {}

  /** False when the body is too long; what was kept is gone then. */
  append(piece: Buffer): boolean {
    const length = this.#length + piece.length;
    if (length > this.limit) {
      this.#bytes = Buffer.alloc(0);
      return false;
    }
    if (length > this.#bytes.length) this.#grow(length);
    piece.copy(this.#bytes, this.#length);
    this.#length = length;
    return true;
  }

  get length(): number {
    return this.#length;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(wanted: number): void {
    const room = Math.min(this.limit, Math.max(SMALLEST, wanted, 2 * this.#bytes.length));
    const bytes = Buffer.allocUnsafeSlow(room);
    this.#bytes.copy(bytes, 0, 0, this.#length);
    this.#bytes = bytes;
  }
}
