import type { Clock } from '../../common/clock.js';
import type { ExchangeLog } from '../../exchange/event-log.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { AnswerReason, Reason } from '../../exchange/reasons.js';
import { overloaded, Refusal } from '../../exchange/refusal.js';
import type {
  Backend,
  ReceivedHead,
  TriedBackends,
  Upstream,
  WaitingExchange,
} from '../../exchange/upstream.js';
import { DEADLINE_TICK_MS } from '../deadlines.js';
import { isTimeout, reasonOf, ResponseTimeoutError } from '../upstream-fault.js';
import { retryAfterMs } from './retry-after.js';
import type { RetryCounts } from './retry-counts.js';
import type { RetryPolicy } from './retry-policy.js';

/** The exchange that the attempts are made for. None of these may throw. */
export interface AttemptsOwner {
  readonly exchange: Exchange;
  /** Sends the request; `fresh` asks for a socket of its own. False, and nothing was done, when the backend's pool is full. */
  send(backend: Backend, fresh: boolean): boolean;
  /** Whether the request can be sent again whole. */
  readonly repeatable: boolean;
  readonly bodyless: boolean;
  /** Nothing happens before that moment (monotonic milliseconds), at which `resume` is to be called. */
  pauseUntil(at: number): void;
  /** The end of all pauses and attempts, in monotonic milliseconds. */
  readonly headDueAt: number;
  refuse(refusal: Refusal): void;
}

export interface AttemptsHost {
  readonly clock: Clock;
  readonly log: ExchangeLog;
  readonly retries: RetryCounts;
}

/** An attempt that failed before a final head. */
export interface FailedAttempt {
  readonly backend: Backend;
  /** Bytes may have been sent. */
  readonly started: boolean;
  /** A byte of an answer was seen. */
  readonly answering: boolean;
  /** Its connection had served a request before. */
  readonly wasReused: boolean;
}

/** Methods that may be sent again when nobody saw an answer (RFC 9110 §9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE']);

/** The tries of one exchange: which backend is next, what a failure leads to, and when. */
export class Attempts implements WaitingExchange {
  #tried: TriedBackends | null = null;
  #lastCause: Error | null = null;
  #repeatedFresh = false;
  /** Sent again by the route's policy, the first time included. */
  #rounds = 1;
  /** Bytes of the request may have reached an upstream. */
  #sent = false;
  #pause: 'line' | 'backoff' | null = null;
  /** Monotonic milliseconds; 0 = this round has not waited in the line. */
  #lineEndsAt = 0;

  constructor(
    readonly owner: AttemptsOwner,
    readonly upstream: Upstream,
    readonly retry: RetryPolicy | null,
    readonly host: AttemptsHost,
  ) {}

  begin(): void {
    this.retry?.budget.request();
    this.#next();
  }

  /** Before a final head. Leads to another attempt, a pause, or a refusal. */
  failed(attempt: FailedAttempt, cause: Error): void {
    this.#lastCause = cause;
    if (attempt.started) this.#sent = true;
    if (cause instanceof Refusal) return this.owner.refuse(cause);
    if (this.repeatsFresh(attempt, cause)) return this.#repeatFresh(attempt.backend);
    const reason = reasonOf(cause);
    if (reason === 'bad_request') return this.owner.refuse(new Refusal(reason, { cause }));
    this.#logFailure(cause, reason);
    (this.#tried ??= new Set()).add(attempt.backend);
    if (!attempt.started) return this.#next();
    if (!this.#mayRepeat || !this.#tryLater(reason, 0)) this.owner.refuse(new Refusal(reason, { cause }));
  }

  /**
   * The upstream's final head. True: it is not for the client, and the exchange is tried again.
   */
  triedAgain(backend: Backend, { status, fields }: ReceivedHead): boolean {
    this.#sent = true;
    if (this.retry === null || !this.retry.retries(status) || !this.#mayRepeat) return false;
    if (!this.#tryLater(String(status), retryAfterMs(fields, this.host.clock))) return false;
    (this.#tried ??= new Set()).add(backend);
    return true;
  }

  /** The pause is over. */
  resume(): void {
    const pause = this.#pause;
    this.#pause = null;
    if (pause === 'backoff') return this.#nextRound();
    this.upstream.leave(this);
    // Time alone gives places too (a circuit's cooldown is over), and offers them to nobody.
    const backend = this.upstream.pick(this.owner.exchange, this.#tried);
    if (backend === null) this.owner.refuse(this.#lastRefusal());
    else this.#try(backend, false);
  }

  /** The exchange is over. */
  cancel(): void {
    if (this.#waits) this.upstream.leave(this);
    this.#pause = null;
  }

  offered(): boolean {
    const backend = this.upstream.pick(this.owner.exchange, this.#tried);
    if (backend === null) return false;
    this.#pause = null;
    this.#try(backend, false);
    // It may be in the line again already: the pool of the backend that had a place was full.
    return !this.#waits;
  }

  #next(): void {
    const backend = this.upstream.pick(this.owner.exchange, this.#tried);
    if (backend === null) this.#none();
    else this.#try(backend, false);
  }

  #try(backend: Backend, fresh: boolean): void {
    const { exchange } = this.owner;
    exchange.backend = backend;
    exchange.attempts++;
    exchange.upstreamStartedAt = this.host.clock.now();
    if (this.owner.send(backend, fresh)) return;
    exchange.attempts--;
    this.#lastCause = overloaded();
    (this.#tried ??= new Set()).add(backend);
    this.#next();
  }

  /** Another backend where there is one, else one of those that failed. */
  #nextRound(): void {
    this.#lastCause = null;
    this.#lineEndsAt = 0;
    const other = this.#tried === null ? null : this.upstream.pick(this.owner.exchange, this.#tried);
    if (other !== null) return this.#try(other, false);
    this.#tried = null;
    this.#next();
  }

  /** Nobody may have it now: later, or not at all. */
  #none(): void {
    if (this.upstream.isFull(this.#tried) && this.#joinLine()) return;
    const refusal = this.#lastRefusal();
    const failed = this.#lastCause !== null && !(this.#lastCause instanceof Refusal);
    // While nothing was sent, the method does not matter.
    const mayRepeat = failed && (!this.#sent || this.#mayRepeat);
    if (!mayRepeat || !this.#tryLater(refusal.reason, 0)) this.owner.refuse(refusal);
  }

  /** What it waits in the line in one round is bounded together, also when it has to join again. */
  #joinLine(): boolean {
    const now = this.host.clock.now();
    if (this.#lineEndsAt === 0) this.#lineEndsAt = now + this.upstream.queueMs;
    if (now >= this.#lineEndsAt || !this.upstream.join(this)) return false;
    this.#pause = 'line';
    this.owner.pauseUntil(this.#lineEndsAt);
    return true;
  }

  #lastRefusal(): Refusal {
    const cause = this.#lastCause;
    if (cause === null) return this.upstream.refusal();
    if (cause instanceof Refusal) return cause;
    const reason: AnswerReason = isTimeout(cause) ? 'upstream_timeout' : 'upstream_unavailable';
    return new Refusal(reason, { cause });
  }

  get #waits(): boolean {
    return this.#pause === 'line';
  }

  get #mayRepeat(): boolean {
    return this.retry !== null && this.retry.repeats(this.owner.exchange.head.method);
  }

  /** The keep-alive race: the upstream closed an idle connection just as the request was written to it. */
  repeatsFresh({ started, answering, wasReused }: FailedAttempt, cause: Error): boolean {
    if (this.#repeatedFresh || !started || answering || !wasReused || !this.owner.bodyless) return false;
    return !(cause instanceof ResponseTimeoutError) && IDEMPOTENT.has(this.owner.exchange.head.method);
  }

  #repeatFresh(backend: Backend): void {
    this.#repeatedFresh = true;
    // Its place was free for a moment, and may be another one's now.
    if (mayTake(backend)) this.#try(backend, true);
    else this.#next();
  }

  #logFailure(cause: Error, reason: Reason): void {
    this.host.log.upstreamRequestFailed(this.owner.exchange, cause, reason);
  }

  /** Another round, after the backoff: if the policy, its budget and the time allow it. */
  #tryLater(reason: string, askedMs: number): boolean {
    const { retry, owner } = this;
    if (retry === null || this.#rounds >= retry.attempts || !owner.repeatable) return false;
    const at = this.host.clock.now() + Math.max(retry.backoffMs(this.#rounds), askedMs);
    // Pauses end a tick late; who cannot try again in time keeps the answer there is.
    if (at + DEADLINE_TICK_MS >= owner.headDueAt || !retry.budget.take()) return false;
    this.#rounds++;
    this.host.retries.retried(owner.exchange, reason);
    this.#pause = 'backoff';
    owner.pauseUntil(at);
    return true;
  }
}

function mayTake({ breaker, maxInFlight, state }: Backend): boolean {
  return (breaker === null || breaker.admits()) && (maxInFlight === 0 || state.inFlight < maxInFlight);
}
