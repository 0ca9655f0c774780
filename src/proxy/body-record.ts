const NOTHING: Buffer = Buffer.alloc(0);

/** The beginning of a body that may have to be sent again; given up once it is longer than `limit` bytes. */
export class BodyRecord {
  /** The whole body has been read from the client. */
  ended = false;
  #whole = true;
  #room = NOTHING;
  #length = 0;

  constructor(readonly limit: number) {}

  /** Whether everything read so far is here. */
  get whole(): boolean {
    return this.#whole;
  }

  /** What has been read; it never changes. */
  get bytes(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  add(chunk: Buffer): void {
    if (!this.#whole) return;
    const length = this.#length + chunk.length;
    if (length > this.limit) return this.drop();
    // Most bodies come in one piece, which is kept as it is. Small pieces are joined: each would keep a buffer of its own.
    if (this.#length === 0) this.#room = chunk;
    else this.#append(chunk, length);
    this.#length = length;
  }

  /** Nobody needs it any more: its memory is free. */
  drop(): void {
    this.#whole = false;
    this.#room = NOTHING;
    this.#length = 0;
  }

  #append(chunk: Buffer, length: number): void {
    if (length > this.#room.length) {
      const room = Buffer.allocUnsafeSlow(Math.min(this.limit, Math.max(length, 2 * this.#room.length)));
      this.#room.copy(room, 0, 0, this.#length);
      this.#room = room;
    }
    chunk.copy(this.#room, this.#length);
  }
}
