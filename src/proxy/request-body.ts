import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

import { bufferPassed } from '../common/buffer-garbage.js';
import { Refusal } from '../exchange/refusal.js';

/** Told what happens to an upload. */
export interface UploadWatcher {
  /** A piece came from the client: it is the sender's, to be copied by whoever wants to keep it. */
  uploadRead(chunk: Buffer): void;
  /** Bytes came, reading stopped for back pressure, or went on. */
  uploadMoved(paused: boolean): void;
  /** The whole body has been read from the client. */
  uploadEnded(): void;
}

/**
 * The client's body on its way to the upstream: streamed with back pressure, counted against `max_body_size`.
 * A stream of its own because whoever sends it may destroy it on a fault, and destroying the request itself
 * would close the client's socket before it got its answer.
 */
export class RequestBody extends Readable {
  #started = false;
  #bytes = 0;

  constructor(
    readonly request: IncomingMessage,
    /** Bytes; 0 = no limit. */
    readonly limit: number,
    readonly watcher: UploadWatcher,
    /** Called when the first byte is wanted (`100 Continue`). */
    readonly onStart: () => void,
  ) {
    super({ highWaterMark: 64 * 1024 });
    // Errors reach the exchange through whoever reads this stream; none may reach the process.
    this.on('error', () => {});
  }

  /** Whether somebody began to read it: then only `again` gives it whole. */
  get used(): boolean {
    return this.#started;
  }

  /** Whether `again` can give it whole. */
  get repeatable(): boolean {
    return !this.#started;
  }

  /** The same body from its first byte; this one is of no use then. */
  again(): RequestBody {
    return this;
  }

  override _read(): void {
    if (!this.#started) this.#begin();
    this.watcher.uploadMoved(false);
    this.request.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.request.off('data', this.#data);
    this.request.off('end', this.#end);
    callback(error);
  }

  #begin(): void {
    this.#started = true;
    this.onStart();
    this.request.on('data', this.#data);
    this.request.on('end', this.#end);
  }

  readonly #data = (chunk: Buffer): void => {
    this.#bytes += chunk.length;
    if (this.limit > 0 && this.#bytes > this.limit) {
      this.request.pause();
      this.destroy(new Refusal('payload_too_large'));
      return;
    }
    this.watcher.uploadRead(chunk);
    bufferPassed(chunk.length);
    const more = this.push(chunk);
    if (!more) this.request.pause();
    this.watcher.uploadMoved(!more);
  };

  readonly #end = (): void => {
    this.watcher.uploadEnded();
    this.push(null);
  };
}
