import type { Readable } from 'node:stream';

import type { ResponseSink } from '../../exchange/response.js';

export interface BodyReceiver {
  bodyEnded(body: Readable): void;
  bodyBroke(cause: unknown): void;
}

/** Carries a stream to the writer, as fast as the client takes it. */
export class BodyPump {
  #bytes = 0;
  #over = false;

  constructor(
    readonly body: Readable,
    readonly sink: ResponseSink,
    readonly receiver: BodyReceiver,
    /** Bytes that the head announced; -1 = none. More or fewer would break the framing of the connection. */
    readonly announced: number,
  ) {}

  begin(): this {
    this.body.on('error', this.#broke);
    this.body.on('end', this.#ended);
    this.body.on('close', this.#closed);
    this.body.on('data', this.#data);
    return this;
  }

  resume(): void {
    if (!this.#over) this.body.resume();
  }

  stop(): void {
    this.#over = true;
    this.body.destroy();
  }

  readonly #data = (chunk: unknown): void => {
    if (this.#over) return;
    const bytes = toBuffer(chunk);
    if (bytes === null) return this.#broke(new TypeError('a body must be a stream of bytes or text'));
    this.#bytes += bytes.length;
    if (this.announced >= 0 && this.#bytes > this.announced) return this.#broke(this.#mismatch());
    if (bytes.length > 0 && !this.sink.data(bytes)) this.body.pause();
  };

  readonly #ended = (): void => {
    if (this.#over) return;
    if (this.announced >= 0 && this.#bytes !== this.announced) return this.#broke(this.#mismatch());
    this.#over = true;
    this.receiver.bodyEnded(this.body);
  };

  readonly #closed = (): void => {
    this.#broke(new Error('the body was closed before its end'));
  };

  readonly #broke = (cause: unknown): void => {
    if (this.#over) return;
    this.#over = true;
    this.body.destroy();
    this.receiver.bodyBroke(cause);
  };

  #mismatch(): Error {
    return new Error(`the body has ${this.#bytes} bytes where the head announced ${this.announced}`);
  }
}

function toBuffer(chunk: unknown): Buffer | null {
  if (Buffer.isBuffer(chunk)) return chunk;
  if (typeof chunk === 'string') return Buffer.from(chunk);
  return chunk instanceof Uint8Array ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength) : null;
}
