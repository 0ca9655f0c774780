/** A copy of a body on its way to the client, within a bound. It shares no memory with what passes. */
export class BodyCopy {
  #bytes = 0;
  /** Made at once where the length is known. */
  readonly #whole: Buffer | null;
  readonly #pieces: Buffer[] = [];

  /**
   * @param announced length in bytes; -1 = not announced
   * @param limit most bytes that are kept
   */
  constructor(
    private readonly announced: number,
    private readonly limit: number,
  ) {
    this.#whole = announced >= 0 ? Buffer.allocUnsafeSlow(announced) : null;
  }

  /** False when the body is too long, or longer than announced: nobody wants the copy any more. */
  add(chunk: Buffer): boolean {
    const end = this.#bytes + chunk.length;
    if (end > this.limit || (this.#whole !== null && end > this.#whole.length)) return false;
    if (this.#whole === null) this.#pieces.push(Buffer.from(chunk));
    else chunk.copy(this.#whole, this.#bytes);
    this.#bytes = end;
    return true;
  }

  /** The whole body; null when bytes are missing. */
  end(): Buffer | null {
    if (this.#whole !== null) return this.#bytes === this.announced ? this.#whole : null;
    const body = Buffer.allocUnsafeSlow(this.#bytes);
    let at = 0;
    for (const piece of this.#pieces) at += piece.copy(body, at);
    return body;
  }
}
