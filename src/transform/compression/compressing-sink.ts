import { joinedHeader } from '../../common/raw-headers.js';
import type { ExchangeLog } from '../../exchange/event-log.js';
import type { Exchange } from '../../exchange/exchange.js';
import { PassingSink } from '../../exchange/passing-sink.js';
import type { Refusal } from '../../exchange/refusal.js';
import type { ResponseSink, UpstreamHead } from '../../exchange/response.js';
import { chooseCoding, type Coding } from './accept-encoding.js';
import { forbidsTransform, isCompressible, isOfCompressible, type TypeTest } from './compressible.js';
import { encodedHead, encodedTrailers, revalidatedHead, varyingHead } from './encoded-head.js';
import { EncodingBody, type EncodingOwner } from './encoding-body.js';
import { Pause } from './pause.js';

/** How the answers of a route are compressed. */
export interface CompressionPlan {
  /** The preferred one first. */
  readonly codings: readonly Coding[];
  /** Bytes. */
  readonly minSize: number;
  readonly isType: TypeTest;
  readonly log: ExchangeLog;
}

/** A head whose body is yet too short to be worth it, and what came of that body. */
interface Undecided {
  readonly head: UpstreamHead;
  readonly coding: Coding;
  /** Bytes from which on it is worth it. */
  readonly minSize: number;
  readonly chunks: Buffer[];
  bytes: number;
}

/** Sends one answer on in the coding that suits its client, or as it is. */
export class CompressingSink extends PassingSink implements EncodingOwner {
  #undecided: Undecided | null = null;
  #body: EncodingBody | null = null;
  #pause: Pause | null = null;

  constructor(
    sink: ResponseSink,
    readonly exchange: Exchange,
    readonly plan: CompressionPlan,
  ) {
    super(sink);
  }

  override head(head: UpstreamHead): void {
    if (head.status === 206 || head.status === 304) return super.head(this.#forWhole(head));
    if (!isCompressible(head, this.plan.isType)) return super.head(head);
    const { method, rawHeaders } = this.exchange.head;
    const { coding, minSize } = this.#choose();
    const { contentLength } = head;
    if (contentLength >= 0 && contentLength < minSize) return super.head(head);
    const varying = varyingHead(head);
    if (coding === null || forbidsTransform(rawHeaders)) super.head(varying);
    else if (method === 'HEAD') super.head(contentLength < 0 ? varying : encodedHead(varying, coding));
    else if (contentLength >= 0) this.#encode(varying, coding);
    else this.#hold({ head: varying, coding, minSize, chunks: [], bytes: 0 });
  }

  override data(chunk: Buffer): boolean {
    this.#pause?.moved();
    if (this.#body !== null) return this.#body.write(chunk);
    if (this.#undecided === null) return super.data(chunk);
    const { chunks, minSize } = this.#undecided;
    chunks.push(chunk);
    this.#undecided.bytes += chunk.length;
    return this.#undecided.bytes < minSize || this.#decide();
  }

  override end(trailers: readonly string[] | null): void {
    this.#passHeld();
    this.#pause?.stop();
    if (this.#body === null) super.end(trailers);
    else this.#body.end(encodedTrailers(trailers));
  }

  override abort(cause: Error): void {
    this.#passHeld();
    this.#free();
    super.abort(cause);
  }

  override refuse(refusal: Refusal): void {
    this.#undecided = null;
    this.#free();
    super.refuse(refusal);
  }

  override resume(): void {
    if (this.#body === null) super.resume();
    else this.#body.resume();
  }

  override cancel(): void {
    this.#undecided = null;
    this.#free();
    super.cancel();
  }

  encoderDrained(): void {
    super.resume();
  }

  encoderFailed(cause: Error): void {
    this.plan.log.internalError(this.exchange, cause);
    this.exchange.reason ??= 'internal_error';
    this.#free();
    super.cancel();
    super.abort(cause);
  }

  /** What the client takes, and the bytes from which on it gets that. */
  #choose(): { coding: Coding | null; minSize: number } {
    const accept = joinedHeader(this.exchange.head.rawHeaders, 'accept-encoding');
    const { coding, identityRefused } = chooseCoding(accept, this.plan.codings);
    return { coding, minSize: identityRefused ? 1 : Math.max(1, this.plan.minSize) };
  }

  /** A part and a 304 are not compressed, but say what the whole says of its codings. */
  #forWhole(head: UpstreamHead): UpstreamHead {
    const known = joinedHeader(this.exchange.head.rawHeaders, 'if-none-match') ?? '';
    const told = head.status === 304 ? revalidatedHead(head, known) : head;
    return isOfCompressible(told, this.plan.isType, this.#choose().minSize) ? varyingHead(told) : told;
  }

  /** Nobody knows yet how long the body is. */
  #hold(undecided: Undecided): void {
    this.#undecided = undecided;
    this.#watch();
  }

  #watch(): void {
    this.#pause ??= new Pause(() => this.#paused());
    this.#pause.moved();
  }

  /** What came must not wait for what may come much later. */
  #paused(): void {
    if (this.#undecided !== null) this.#decide();
    this.#body?.flush();
  }

  /** It is worth it: the body is long, or takes its time. */
  #decide(): boolean {
    const { head, coding, chunks } = this.#undecided!;
    this.#undecided = null;
    this.#encode(head, coding);
    let more = true;
    for (const chunk of chunks) more = this.#body!.write(chunk);
    return more;
  }

  #encode(head: UpstreamHead, coding: Coding): void {
    super.head(encodedHead(head, coding));
    this.#body = new EncodingBody(coding, this.sink, this);
    this.#watch();
  }

  /** The body as it is. */
  #passHeld(): void {
    if (this.#undecided === null) return;
    const { head, chunks } = this.#undecided;
    this.#undecided = null;
    super.head(head);
    for (const chunk of chunks) super.data(chunk);
  }

  #free(): void {
    this.#pause?.stop();
    this.#pause = null;
    this.#body?.free();
  }
}
