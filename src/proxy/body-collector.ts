import type { Exchange } from '../exchange/exchange.js';
import { Refusal } from '../exchange/refusal.js';
import type { ResponseSink, ResponseSource } from '../exchange/response.js';
import type { Deadlined, Deadlines } from './deadlines.js';
import type { ScannedHead } from './request-head.js';

export interface CollectLimits {
  /** Bytes; 0 = no limit. */
  readonly maxBodySize: number;
  /** Longest silence of the client, in milliseconds. */
  readonly bodyTimeoutMs: number;
}

/** Reads a request's body whole, for a stage that must see all of it before anything is sent upstream. */
export class BodyCollector implements ResponseSource, Deadlined {
  slot = -1;
  deadline = 0;
  #bytes = 0;
  readonly #chunks: Buffer[] = [];

  // oxlint-disable-next-line max-params -- an exchange, its limits, and where to go on.
  constructor(
    readonly exchange: Exchange,
    readonly sink: ResponseSink,
    readonly limits: CollectLimits,
    readonly deadlines: Deadlines,
    readonly done: () => void,
  ) {}

  begin(): void {
    const { maxBodySize } = this.limits;
    const head = this.exchange.head as ScannedHead;
    if (maxBodySize > 0 && head.contentLength > maxBodySize) throw new Refusal('payload_too_large');
    this.sink.source = this;
    this.deadlines.watch(this);
    this.#moved();
    if (head.expect !== null) this.sink.interim(100, []);
    const raw = this.exchange.raw!;
    raw.on('data', this.#data);
    raw.on('end', this.#end);
  }

  resume(): void {}

  cancel(): void {
    this.#leave();
  }

  expired(): void {
    this.#refuse(new Refusal('request_timeout'));
  }

  readonly #data = (chunk: Buffer): void => {
    this.#moved();
    this.#bytes += chunk.length;
    const { maxBodySize } = this.limits;
    if (maxBodySize > 0 && this.#bytes > maxBodySize) this.#refuse(new Refusal('payload_too_large'));
    else this.#chunks.push(chunk);
  };

  readonly #end = (): void => {
    this.#leave();
    this.exchange.body = Buffer.concat(this.#chunks, this.#bytes);
    this.done();
  };

  #moved(): void {
    this.deadline = this.deadlines.clock.now() + this.limits.bodyTimeoutMs;
  }

  #refuse(refusal: Refusal): void {
    this.#leave();
    this.sink.refuse(refusal);
  }

  #leave(): void {
    const raw = this.exchange.raw!;
    raw.off('data', this.#data);
    raw.off('end', this.#end);
    raw.pause();
    this.sink.source = null;
    this.deadlines.forget(this);
  }
}
