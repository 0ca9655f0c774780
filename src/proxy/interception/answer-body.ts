import { Readable } from 'node:stream';

import type { ResponseSource } from '../../exchange/response.js';

interface BodySender {
  readonly source: ResponseSource | null;
  /** The reader wants no more. */
  stop(): void;
}

/** The upstream's body as interceptors read it: pushed by the parser, paused while nobody takes it. */
export class AnswerBody extends Readable {
  /** Whether anybody asked for a byte. */
  wanted = false;
  #paused = false;

  constructor(private readonly sender: BodySender) {
    super({ highWaterMark: 64 * 1024 });
    // A body that nobody looks at may break off all the same; that must not reach the process.
    this.on('error', () => {});
  }

  /** Nobody reads or watches it, and nothing has come yet: it need not be a stream at all. */
  get isUntouched(): boolean {
    return !this.wanted && this.readableLength === 0 && this.eventNames().length === 1;
  }

  override push(chunk: Buffer | null): boolean {
    const more = super.push(chunk);
    if (!more && chunk !== null) this.#paused = true;
    return more;
  }

  override _read(): void {
    this.wanted = true;
    if (!this.#paused) return;
    this.#paused = false;
    this.sender.source?.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.sender.stop();
    callback(error);
  }
}
