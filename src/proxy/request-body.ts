import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

import { bufferPassed } from '../common/buffer-garbage.js';
import { Refusal } from '../exchange/refusal.js';
import type { BodyRecord } from './body-record.js';

/** Told what happens to an upload. */
export interface UploadWatcher {
  /** A piece came from the client: it is the sender's, to be copied by whoever wants to keep it. */
  uploadRead(chunk: Buffer): void;
  /** Bytes came, reading stopped for back pressure, or went on. */
  uploadMoved(paused: boolean): void;
  /** The whole body has been read from the client. Once, however often it is sent. */
  uploadEnded(): void;
}

/**
 * The client's body on its way to the upstream, once: streamed with back pressure, counted against `max_body_size`.
 * A stream of its own because whoever sends it may destroy it on a fault, and destroying the request itself
 * would close the client's socket before it got its answer.
 */
export class RequestBody extends Readable {
  /** Somebody began to read the client's body, here or in the stream before. */
  #begun = false;
  /** Of the client's body, in bytes. */
  #bytes = 0;
  /** What was recorded before has been given. */
  #repeated = false;
  /** It takes what comes from the client. */
  #attached = false;
  #asked = false;
  /** Reading from the client has stopped until somebody sends the body again. */
  #held = false;

  // oxlint-disable-next-line max-params -- what the next stream of the same body takes over.
  constructor(
    readonly request: IncomingMessage,
    /** Bytes; 0 = no limit. */
    readonly limit: number,
    readonly watcher: UploadWatcher,
    /** Called when the first byte is wanted (`100 Continue`). */
    readonly onStart: () => void,
    /** Null for a body that is never sent again once somebody began to read it. */
    readonly record: BodyRecord | null,
  ) {
    super({ highWaterMark: 64 * 1024 });
    // Errors reach the exchange through whoever reads this stream; none may reach the process.
    this.on('error', () => {});
  }

  /** Whether somebody began to read it, or ended it: then only `again` gives the body whole. */
  get used(): boolean {
    return this.#asked || this.destroyed;
  }

  /** Whether `again` can give it whole. */
  get repeatable(): boolean {
    return this.#bytes === 0 || (this.record?.whole ?? false);
  }

  /** The same body from its first byte, the rest of it as it comes from the client; this one is of no use then. */
  again(): RequestBody {
    this.destroy();
    const next = new RequestBody(this.request, this.limit, this.watcher, this.onStart, this.record);
    next.#begun = this.#begun;
    next.#bytes = this.#bytes;
    next.#held = this.#held;
    return next;
  }

  /** Nobody sends it any more: what the client still sends is dropped. */
  dismiss(): void {
    this.record?.drop();
    this.destroy();
    if (!this.#held) return;
    this.#held = false;
    this.request.resume();
  }

  override _read(): void {
    this.#asked = true;
    if (!this.#attached && this.#repeat()) return;
    if (!this.#attached) return this.#end();
    this.#held = false;
    this.watcher.uploadMoved(false);
    this.request.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#detach();
    callback(error);
  }

  /** True when there was something to give; afterwards the rest comes from the client, unless that was all. */
  #repeat(): boolean {
    const { record } = this;
    const recorded = this.#bytes > 0 && !this.#repeated ? record!.bytes : null;
    this.#repeated = true;
    if (recorded !== null && recorded.length > 0) {
      this.push(recorded);
      return true;
    }
    if (record?.ended) {
      this.push(null);
      return true;
    }
    this.#attach();
    return false;
  }

  /** False when the client's body turned out to have ended meanwhile. */
  #attach(): void {
    if (!this.#begun) {
      this.#begun = true;
      this.onStart();
    }
    if (this.request.readableEnded) return;
    this.#attached = true;
    this.request.on('data', this.#data);
    this.request.on('end', this.#end);
  }

  /** What nobody takes would be lost for the next stream: the client waits. */
  #detach(): void {
    if (!this.#attached) return;
    this.#attached = false;
    this.request.off('data', this.#data);
    this.request.off('end', this.#end);
    if (!this.repeatable) return;
    this.#held = true;
    this.request.pause();
  }

  readonly #data = (chunk: Buffer): void => {
    this.#bytes += chunk.length;
    if (this.limit > 0 && this.#bytes > this.limit) {
      this.request.pause();
      this.destroy(new Refusal('payload_too_large'));
      return;
    }
    this.record?.add(chunk);
    this.watcher.uploadRead(chunk);
    bufferPassed(chunk.length);
    const more = this.push(chunk);
    // Whoever was given the chunk may have ended this stream.
    if (!this.#attached) return;
    if (!more) this.request.pause();
    this.watcher.uploadMoved(!more);
  };

  readonly #end = (): void => {
    if (this.record !== null) this.record.ended = true;
    this.watcher.uploadEnded();
    this.push(null);
  };
}
