import type { Subscriber } from 'rxjs';

import { HeaderList } from '../../exchange/header-list.js';
import { Refusal } from '../../exchange/refusal.js';
import type { ResponseSink, ResponseSource, Tunnel, UpstreamHead } from '../../exchange/response.js';
import { UpstreamResponse } from '../../exchange/upstream-response.js';
import { AnswerBody } from './answer-body.js';

export interface UpstreamAnswerOwner {
  /** Where interim answers go, and tunnels. */
  readonly sink: ResponseSink;
  /** The body broke off after the head. */
  upstreamBroke(answer: UpstreamAnswer, cause: Error): void;
}

/** What the upstream sends for one subscription to `next.handle()`: one emission, whose body is read on demand. */
export class UpstreamAnswer implements ResponseSink {
  source: ResponseSource | null = null;
  /** Of the head as it came, in bytes; -1 = not announced. */
  contentLength = -1;
  status = 0;
  body: AnswerBody | null = null;
  trailers: readonly string[] | null = null;
  /** Why the body broke off. */
  broken: Error | null = null;
  #ended = false;
  /** Takes the body as it comes, past the stream. */
  #direct: ResponseSink | null = null;

  constructor(
    private readonly subscriber: Subscriber<UpstreamResponse>,
    private readonly owner: UpstreamAnswerOwner,
  ) {}

  head({ status, statusText, headers, contentLength }: UpstreamHead): void {
    this.status = status;
    this.contentLength = contentLength;
    this.body = new AnswerBody(this);
    const response = new UpstreamResponse(status, {}, this.body);
    response.statusText = statusText;
    response.headers = HeaderList.ofRaw(headers);
    this.subscriber.next(response);
    this.subscriber.complete();
  }

  data(chunk: Buffer): boolean {
    return this.#direct === null ? this.body!.push(chunk) : this.#direct.data(chunk);
  }

  end(trailers: readonly string[] | null): void {
    this.#ended = true;
    this.trailers = trailers;
    if (this.#direct === null) this.body!.push(null);
    else this.#direct.end(trailers);
  }

  abort(cause: Error): void {
    this.#ended = true;
    this.broken = cause;
    if (this.#direct !== null) return this.#direct.abort(cause);
    // Who collects the body before answering gets a refusal to answer with.
    this.body?.destroy(new Refusal('upstream_unavailable', { cause }));
    this.owner.upstreamBroke(this, cause);
  }

  refuse(refusal: Refusal): void {
    this.#ended = true;
    if (this.body === null) this.subscriber.error(refusal);
    else this.abort(refusal);
  }

  interim(status: number, fields: readonly string[]): void {
    this.owner.sink.interim(status, fields);
  }

  switched(tunnel: Tunnel): void {
    this.owner.sink.switched(tunnel);
  }

  /** Sends the body on as it comes, without a stream between; false when somebody deals with that. */
  passTo(sink: ResponseSink): boolean {
    if (this.#ended || !this.body!.isUntouched) return false;
    this.#direct = sink;
    return true;
  }

  /** Somebody asked for the body. */
  get isRead(): boolean {
    return this.body?.wanted ?? false;
  }

  /** Nobody waits for the head any more; the body outlives the subscription that brought it. */
  unsubscribed(): void {
    if (this.body === null) this.stop();
  }

  /** Ends what is under way; nobody wants the body. */
  drop(): void {
    this.stop();
    this.body?.destroy();
  }

  /** Tells the sender that nobody takes what it sends. */
  stop(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.source?.cancel();
  }
}
