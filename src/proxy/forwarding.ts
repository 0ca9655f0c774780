import type { IncomingMessage } from 'node:http';

import { bufferPassed } from '../common/buffer-garbage.js';
import type { Exchange } from '../exchange/exchange.js';
import { Refusal } from '../exchange/refusal.js';
import type { ResponseSink, ResponseSource } from '../exchange/response.js';
import type { Backend, Outcome, ReceivedHead, UpstreamRequest } from '../exchange/upstream.js';
import { Attempt, type AttemptOwner } from './attempt.js';
import { Attempts, type AttemptsHost, type AttemptsOwner } from './attempts/attempts.js';
import { BodyRecord } from './body-record.js';
import type { Deadlined, Deadlines } from './deadlines.js';
import type { ForwardPlan } from './forward-plan.js';
import type { MirrorCopy } from './mirror/mirror-copy.js';
import { outgoingRequest } from './outgoing-request.js';
import { RequestBody, type UploadWatcher } from './request-body.js';
import type { ScannedHead } from './request-head.js';
import { hostHeader } from './request-headers.js';
import { clientHead, isEventStream } from './response-headers.js';
import { ResponseTimeoutError } from './upstream-fault.js';

export interface ForwardingHost extends AttemptsHost {
  readonly deadlines: Deadlines;
}

/** What the exchange waits for; each phase has its own deadline. */
type Phase = 'pause' | 'head' | 'upload' | 'body';

/** One exchange on its way to a backend and back: its attempts, its body, its deadlines. */
export class Forwarding implements AttemptOwner, AttemptsOwner, UploadWatcher, Deadlined, ResponseSource {
  slot = -1;
  deadline = 0;
  /** Moves while a request body comes in. */
  #headDueAt = 0;
  #phase: Phase = 'head';
  #attempt: Attempt | null = null;
  /** Its answer was not for the client; it ends by itself, or with the exchange. */
  #discarded: Attempt | null = null;
  #uploadPaused = false;
  /** The client has not taken what it was sent; the upstream waits for it. */
  #clientBehind = false;
  #headSeen = false;
  #done = false;
  #totalAt = 0;
  #body: RequestBody | null;
  readonly #attempts: Attempts;
  /** Null where this exchange is not mirrored. */
  readonly #copy: MirrorCopy | null;
  readonly #request: UpstreamRequest;
  readonly #lines: readonly string[];
  readonly #path: string;

  // oxlint-disable-next-line max-params -- what an exchange meets on its way.
  constructor(
    readonly exchange: Exchange,
    readonly head: ScannedHead,
    readonly sink: ResponseSink,
    readonly plan: ForwardPlan,
    readonly host: ForwardingHost,
  ) {
    const upstream = exchange.upstream!;
    const { target, lines } = exchange.outgoing ?? outgoingRequest(exchange, plan);
    this.#body = head.hasBody && exchange.body === null ? this.#upload(exchange.raw!) : null;
    this.#path = target;
    this.#request = {
      path: target,
      method: head.method,
      host: hostHeader(exchange, head, upstream.hostHeader),
      contentLength: head.contentLength,
      body: exchange.body ?? this.#body,
    };
    this.#lines = lines;
    this.#attempts = new Attempts(this, upstream, plan.retry, host);
    this.#copy = plan.mirror && plan.mirror.copyOf({ exchange, head, path: target, lines });
    if (this.#copy !== null && exchange.body !== null) this.#copy.wholeBody(exchange.body);
  }

  begin(): void {
    this.sink.source = this;
    const now = this.host.clock.now();
    if (this.plan.totalMs > 0) this.#totalAt = now + this.plan.totalMs;
    this.#headDueAt = now + this.plan.timeoutMs;
    this.host.deadlines.watch(this);
    this.#attempts.begin();
  }

  // The attempts.

  send(backend: Backend, fresh: boolean): boolean {
    const attempt = new Attempt(this, backend, this.#lines);
    this.#attempt = attempt;
    if (this.#body !== null && !this.exchange.raw!.complete) attempt.uploading(true);
    this.#wait('head', this.#headDueAt);
    const request = this.#request;
    request.path = backend.basePath + this.#path;
    this.#rewindBody();
    if (backend.pool.dispatch(request, attempt, fresh)) return true;
    attempt.refused();
    return false;
  }

  get bodyless(): boolean {
    return this.#body === null && this.exchange.body === null;
  }

  get repeatable(): boolean {
    return this.#body === null || this.#body.repeatable;
  }

  get headDueAt(): number {
    return this.#totalAt > 0 ? Math.min(this.#totalAt, this.#headDueAt) : this.#headDueAt;
  }

  pauseUntil(at: number): void {
    this.#attempt = null;
    this.#rewindBody();
    this.#wait('pause', Math.min(at, this.#headDueAt));
  }

  /** Whoever read the body before hears no more of it. */
  #rewindBody(): void {
    if (this.#body?.used) this.#request.body = this.#body = this.#body.again();
  }

  attemptStarted(): void {
    this.#copy?.originalForwarded();
    const { responseMs, timeoutMs } = this.plan;
    if (responseMs >= timeoutMs || this.#phase !== 'head') return;
    this.deadline = Math.min(this.deadline, this.host.clock.now() + responseMs);
  }

  attemptFailed(attempt: Attempt, cause: Error): void {
    if (this.#done) return;
    if (this.#headSeen) this.#breakOff(cause);
    else this.#attempts.failed(attempt, cause);
  }

  repeatsFresh(attempt: Attempt, cause: Error): boolean {
    return !this.#done && this.#attempts.repeatsFresh(attempt, cause);
  }

  // The response.

  interim({ status, fields }: ReceivedHead): void {
    this.sink.interim(status, fields);
  }

  responseHead(head: ReceivedHead): void {
    const attempt = this.#attempt!;
    const { exchange, host, plan } = this;
    if (plan.retry !== null && this.#attempts.triedAgain(attempt.backend, head))
      return this.#discard(attempt);
    this.#headSeen = true;
    this.#body?.record?.drop();
    exchange.upstreamHeadAt = host.clock.now();
    if (isEventStream(head)) this.#endless(attempt);
    exchange.upstream!.answering(exchange, attempt.backend);
    this.#waitFor('body', plan.idleMs);
    this.sink.head(clientHead(head, this.#mayTrail));
  }

  /** What never ends by itself is judged by its head, and has no total time. */
  #endless(attempt: Attempt): void {
    this.#totalAt = 0;
    attempt.judge();
  }

  #discard(attempt: Attempt): void {
    this.#discarded = attempt;
    attempt.discard();
  }

  get #mayTrail(): boolean {
    return this.head.method !== 'HEAD' && this.exchange.raw!.httpVersionMinor > 0;
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
    this.#stop(new Error('client closed'), 'abandoned');
  }

  #upload(raw: IncomingMessage): RequestBody {
    const wanted = this.head.expect === null ? () => {} : () => this.sink.interim(100, []);
    return new RequestBody(raw, this.plan.maxBodySize, this, wanted, this.#record());
  }

  /** Null where the body would not be sent again anyway. */
  #record(): BodyRecord | null {
    const { retry } = this.plan;
    const { method, contentLength } = this.head;
    if (retry === null || contentLength > retry.maxBody || !retry.repeats(method)) return null;
    return new BodyRecord(retry.maxBody);
  }

  uploadRead(chunk: Buffer): void {
    this.#copy?.bodyPiece(chunk);
  }

  uploadMoved(paused: boolean): void {
    this.#uploadPaused = paused;
    if (this.#headSeen) return this.#waitFor('body', this.plan.idleMs);
    const now = this.host.clock.now();
    this.#headDueAt = now + this.plan.timeoutMs;
    this.#wait('upload', now + (paused ? this.plan.idleMs : this.plan.bodyTimeoutMs));
  }

  uploadEnded(): void {
    this.#copy?.bodyEnded();
    this.#attempt?.uploading(false);
    if (this.#headSeen) return;
    const { timeoutMs, responseMs } = this.plan;
    this.#headDueAt = this.host.clock.now() + timeoutMs;
    this.#waitFor('head', Math.min(timeoutMs, responseMs));
  }

  // Time.

  #waitFor(phase: Phase, ms: number): void {
    this.#wait(phase, this.host.clock.now() + ms);
  }

  #wait(phase: Phase, due: number): void {
    this.#phase = phase;
    this.deadline = this.#totalAt > 0 && this.#totalAt < due ? this.#totalAt : due;
  }

  expired(now: number): void {
    if (this.#done) return;
    if (this.#phase === 'body') return this.#bodyExpired(now);
    if (this.#phase === 'upload' && !this.#uploadPaused) return this.refuse(new Refusal('request_timeout'));
    if (now >= this.headDueAt) return this.#headExpired();
    if (this.#phase === 'pause') this.#resumeAttempts();
    else this.#attemptExpired();
  }

  /** What was discarded has had its time, and holds a place at its backend. */
  #resumeAttempts(): void {
    this.#discarded?.abort(new Error('tried again'), 'abandoned');
    this.#discarded = null;
    this.#attempts.resume();
  }

  /** The time of this attempt is over; there may be time for another one. */
  #attemptExpired(): void {
    const attempt = this.#attempt!;
    const cause = new ResponseTimeoutError();
    attempt.abort(cause, 'failure');
    this.#attempts.failed(attempt, cause);
  }

  #headExpired(): void {
    const cause = new ResponseTimeoutError();
    if (this.#attempt !== null) this.host.log.upstreamRequestFailed(this.exchange, cause, 'upstream_timeout');
    this.#stop(cause, 'failure');
    this.sink.refuse(new Refusal('upstream_timeout', { cause }));
  }

  #bodyExpired(now: number): void {
    if (this.#totalIsOver(now)) return this.#breakOff(new Error('total timeout'), 'abandoned');
    if (!this.#clientBehind) return this.#breakOff(new Error('idle timeout'));
    // Not the upstream's failure: nobody may hold that against its backend.
    this.exchange.reason = 'request_timeout';
    this.#cut(new Error('the client does not read'), 'abandoned');
  }

  #totalIsOver(now: number): boolean {
    return this.#totalAt > 0 && this.#totalAt <= now;
  }

  // Ends, each at most once.

  refuse(refusal: Refusal): void {
    this.#stop(refusal, 'abandoned');
    this.sink.refuse(refusal);
  }

  #breakOff(cause: Error, outcome: Outcome = 'failure'): void {
    this.host.log.upstreamRequestFailed(this.exchange, cause, 'upstream_aborted');
    this.#cut(cause, outcome);
  }

  #cut(cause: Error, outcome: Outcome): void {
    this.#stop(cause, outcome);
    this.sink.abort(cause);
  }

  #stop(cause: Error, outcome: Outcome): void {
    if (this.#done) return;
    this.#finish();
    this.#attempts.cancel();
    this.#attempt?.abort(cause, outcome);
    this.#body?.dismiss();
  }

  #finish(): void {
    this.#done = true;
    this.#copy?.originalEnded();
    this.sink.source = null;
    this.host.deadlines.forget(this);
    this.#discarded?.abort(new Error('the exchange is over'), 'abandoned');
  }
}
