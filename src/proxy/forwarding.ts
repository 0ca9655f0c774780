import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Dispatcher } from 'undici';

import { bufferPassed } from '../common/buffer-garbage.js';
import type { ExchangeLog } from '../exchange/event-log.js';
import type { Exchange } from '../exchange/exchange.js';
import { Refusal } from '../exchange/refusal.js';
import type { AnswerReason } from '../exchange/reasons.js';
import type { ResponseSink, ResponseSource } from '../exchange/response.js';
import type { Backend, TriedBackends } from '../exchange/upstream.js';
import { Attempt, type AttemptOwner } from './attempt.js';
import { connectionOf } from './client-connection.js';
import type { Deadlined, Deadlines } from './deadlines.js';
import type { ForwardPlan } from './forward-plan.js';
import { RequestBody, type UploadWatcher } from './request-body.js';
import type { ScannedHead } from './request-head.js';
import { framingHeaders, outgoingLines } from './request-headers.js';
import { clientHead } from './response-headers.js';
import { isTimeout, reasonOf } from './upstream-fault.js';

export interface ForwardingHost {
  readonly deadlines: Deadlines;
  readonly log: ExchangeLog;
}

/** What the exchange waits for; each phase has its own deadline. */
type Phase = 'head' | 'upload' | 'body';

/** Methods that may be sent again when nobody saw an answer (RFC 9110 §9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE']);

/** One exchange on its way to a backend and back: its attempts, its body, its deadlines. */
export class Forwarding implements AttemptOwner, UploadWatcher, Deadlined, ResponseSource {
  slot = -1;
  deadline = 0;
  #phase: Phase = 'head';
  #attempt: Attempt | null = null;
  #tried: TriedBackends | null = null;
  #lastCause: Error | null = null;
  #retriedFresh = false;
  #uploadPaused = false;
  /** The client has not taken what it was sent; the upstream waits for it. */
  #clientBehind = false;
  #headSeen = false;
  #done = false;
  #totalAt = 0;
  readonly #body: RequestBody | null;
  readonly #request: Dispatcher.DispatchOptions;
  readonly #lines: readonly string[];
  readonly #path: string;

  constructor(
    readonly exchange: Exchange,
    readonly head: ScannedHead,
    readonly sink: ResponseSink,
    readonly plan: ForwardPlan,
    readonly host: ForwardingHost,
  ) {
    const raw = exchange.request!.raw;
    this.#body = head.hasBody ? this.#upload(raw) : null;
    this.#path = plan.target(exchange);
    this.#request = {
      path: this.#path,
      method: head.method,
      headers: framingHeaders(exchange, head, plan.outgoing),
      body: this.#body,
    };
    this.#lines = outgoingLines(exchange, head, connectionOf(raw.socket), plan.outgoing);
  }

  begin(): void {
    this.sink.source = this;
    if (this.plan.totalMs > 0) this.#totalAt = this.host.deadlines.clock.now() + this.plan.totalMs;
    this.host.deadlines.watch(this);
    this.#waitFor('head', this.plan.timeoutMs);
    this.#next();
  }

  // The attempts.

  #next(): void {
    const backend = this.plan.upstream.pick(this.exchange, this.#tried);
    if (backend === null) this.#refuse(this.#noneLeft());
    else this.#try(backend, false);
  }

  #try(backend: Backend, fresh: boolean): void {
    const { exchange } = this;
    const attempt = new Attempt(this, backend, this.#lines);
    this.#attempt = attempt;
    exchange.backend = backend;
    exchange.attempts++;
    exchange.upstreamStartedAt = this.host.deadlines.clock.now();
    const options = this.#request;
    options.path = backend.basePath + this.#path;
    if (backend.pool.dispatch(options, attempt, fresh)) return;
    attempt.refused();
    exchange.attempts--;
    this.#lastCause = new Refusal('overloaded', { headers: { 'Retry-After': '1' } });
    this.#nextBut(backend);
  }

  /** Nothing was sent to this one, so another may have the request. */
  #nextBut(backend: Backend): void {
    (this.#tried ??= new Set()).add(backend);
    this.#next();
  }

  attemptStarted(): void {
    const { responseMs, timeoutMs } = this.plan;
    if (responseMs >= timeoutMs || this.#phase !== 'head') return;
    this.deadline = Math.min(this.deadline, this.host.deadlines.clock.now() + responseMs);
  }

  attemptFailed(attempt: Attempt, cause: Error): void {
    this.#lastCause = cause;
    if (this.#done) return;
    if (this.#headSeen) return this.#breakOff(cause);
    if (cause instanceof Refusal) return this.#refuse(cause);
    if (this.#mayRepeatFresh(attempt)) {
      this.#retriedFresh = true;
      return this.#try(attempt.backend, true);
    }
    const reason = reasonOf(cause);
    if (reason !== 'bad_request') this.host.log.upstreamRequestFailed(this.exchange, cause, reason);
    if (attempt.started || reason === 'bad_request') return this.#refuse(new Refusal(reason, { cause }));
    this.#nextBut(attempt.backend);
  }

  /** The keep-alive race: the upstream closed an idle connection just as the request was written to it. */
  #mayRepeatFresh(attempt: Attempt): boolean {
    return (
      !this.#retriedFresh &&
      attempt.started &&
      !attempt.answering &&
      attempt.wasReused &&
      this.#body === null &&
      IDEMPOTENT.has(this.head.method)
    );
  }

  #noneLeft(): Refusal {
    if (this.#tried === null) return new Refusal('no_healthy_backend');
    if (this.#lastCause instanceof Refusal) return this.#lastCause;
    const reason: AnswerReason = isTimeout(this.#lastCause) ? 'upstream_timeout' : 'upstream_unavailable';
    return new Refusal(reason, { cause: this.#lastCause });
  }

  // The response.

  interim(status: number, headers: IncomingHttpHeaders): void {
    this.sink.interim(status, headers);
  }

  responseHead(status: number, statusText: string, raw: Buffer[], headers: IncomingHttpHeaders): void {
    this.#headSeen = true;
    this.exchange.upstreamHeadAt = this.host.deadlines.clock.now();
    if (this.#totalAt > 0 && isEventStream(headers)) this.#totalAt = 0;
    this.#waitFor('body', this.plan.idleMs);
    this.sink.head(clientHead(status, statusText, raw, headers, this.#mayTrail));
  }

  get #mayTrail(): boolean {
    return this.head.method !== 'HEAD' && this.exchange.request!.raw.httpVersionMinor > 0;
  }

  responseData(chunk: Buffer): boolean {
    bufferPassed(chunk.length);
    this.#waitFor('body', this.plan.idleMs);
    const more = this.sink.data(chunk);
    this.#clientBehind = !more;
    return more;
  }

  responseEnd(rawTrailers: readonly string[] | null): void {
    this.#finish();
    this.sink.end(rawTrailers);
  }

  // The client's end.

  resume(): void {
    this.#clientBehind = false;
    this.#waitFor('body', this.plan.idleMs);
    this.#attempt?.resume();
  }

  cancel(): void {
    this.#stop(new Error('client closed'));
  }

  #upload(raw: IncomingMessage): RequestBody {
    const wanted = this.head.expect === null ? () => {} : () => this.sink.interim(100, {});
    return new RequestBody(raw, this.plan.maxBodySize, this, wanted);
  }

  uploadMoved(paused: boolean): void {
    this.#uploadPaused = paused;
    if (this.#headSeen) this.#waitFor('body', this.plan.idleMs);
    else this.#waitFor('upload', paused ? this.plan.idleMs : this.plan.bodyTimeoutMs);
  }

  uploadEnded(): void {
    if (!this.#headSeen) this.#waitFor('head', Math.min(this.plan.timeoutMs, this.plan.responseMs));
  }

  // Time.

  #waitFor(phase: Phase, ms: number): void {
    this.#phase = phase;
    const due = this.host.deadlines.clock.now() + ms;
    this.deadline = this.#totalAt > 0 && this.#totalAt < due ? this.#totalAt : due;
  }

  expired(): void {
    if (this.#done) return;
    if (this.#phase === 'body') return this.#bodyExpired();
    const clientsFault = this.#phase === 'upload' && !this.#uploadPaused;
    const reason: AnswerReason = clientsFault ? 'request_timeout' : 'upstream_timeout';
    if (!clientsFault) this.host.log.upstreamRequestFailed(this.exchange, new Error('timeout'), reason);
    this.#refuse(new Refusal(reason));
  }

  #bodyExpired(): void {
    if (this.#totalAt > 0 && this.#totalAt <= this.host.deadlines.clock.now())
      return this.#breakOff(new Error('total timeout'));
    if (!this.#clientBehind) return this.#breakOff(new Error('idle timeout'));
    // Not the upstream's failure: nobody may hold that against its backend.
    this.exchange.reason = 'request_timeout';
    this.#cut(new Error('the client does not read'));
  }

  // Ends, each at most once.

  #refuse(refusal: Refusal): void {
    this.#stop(refusal);
    this.sink.refuse(refusal);
  }

  #breakOff(cause: Error): void {
    this.host.log.upstreamRequestFailed(this.exchange, cause, 'upstream_aborted');
    this.#cut(cause);
  }

  #cut(cause: Error): void {
    this.#stop(cause);
    this.sink.abort(cause);
  }

  #stop(cause: Error): void {
    if (this.#done) return;
    this.#finish();
    this.#attempt?.abort(cause);
    this.#body?.destroy();
  }

  #finish(): void {
    this.#done = true;
    this.sink.source = null;
    this.host.deadlines.forget(this);
  }
}

function isEventStream(headers: IncomingHttpHeaders): boolean {
  return headers['content-type']?.startsWith('text/event-stream') ?? false;
}
