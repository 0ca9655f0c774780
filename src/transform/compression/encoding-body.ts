import type { ResponseSink } from '../../exchange/response.js';
import type { Coding } from './accept-encoding.js';
import { createEncoder, type Encoder, flushKind } from './encoder.js';

/** Who sends the body that is encoded. */
export interface EncodingOwner {
  /** The encoder takes more. */
  encoderDrained(): void;
  encoderFailed(cause: Error): void;
}

/** A body on its way through an encoder, with back pressure both ways. */
export class EncodingBody {
  readonly #encoder: Encoder;
  #trailers: readonly string[] | null = null;
  /** Bytes went in since the last flush. */
  #unflushed = false;
  #over = false;

  constructor(
    readonly coding: Coding,
    readonly sink: ResponseSink,
    readonly owner: EncodingOwner,
  ) {
    this.#encoder = createEncoder(coding)
      .on('data', this.#data)
      .on('end', this.#end)
      .on('drain', this.#drained)
      .on('error', this.#failed);
  }

  /** False asks the sender to wait until the encoder has drained. */
  write(chunk: Buffer): boolean {
    this.#unflushed = true;
    return this.#encoder.write(chunk);
  }

  end(trailers: readonly string[] | null): void {
    this.#trailers = trailers;
    this.#encoder.end();
  }

  /** Sends on all that came so far. */
  flush(): void {
    if (!this.#unflushed || this.#over || this.#encoder.writableEnded) return;
    this.#unflushed = false;
    this.#encoder.flush(flushKind(this.coding));
  }

  /** The client takes more. */
  resume(): void {
    if (!this.#over) this.#encoder.resume();
  }

  /** Gives the encoder's memory back, however far it came. */
  free(): void {
    this.#over = true;
    this.#encoder.destroy();
  }

  readonly #data = (chunk: Buffer): void => {
    if (!this.#over && !this.sink.data(chunk)) this.#encoder.pause();
  };

  readonly #drained = (): void => {
    if (!this.#over) this.owner.encoderDrained();
  };

  readonly #end = (): void => {
    if (this.#over) return;
    this.#over = true;
    this.sink.end(this.#trailers);
  };

  readonly #failed = (cause: Error): void => {
    if (this.#over) return;
    this.free();
    this.owner.encoderFailed(cause);
  };
}
