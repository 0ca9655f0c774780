import { durationMs } from '../common/duration.js';
import type { RateLimitConfig } from '../config/rate-limit.config.js';

/** A limit's numbers, as algorithms and stores see them. */
export interface LimitNumbers {
  readonly algorithm: RateLimitConfig['algorithm'];
  /** Requests given back in every `perMs`. */
  readonly requests: number;
  readonly perMs: number;
  /** Requests that may come at once: the token bucket's burst, else `requests`. */
  readonly capacity: number;
}

/** What a limit says to one request. Times are milliseconds from the moment it was asked. */
export interface Decision {
  allowed: boolean;
  /** Requests that may still come at once. */
  remaining: number;
  /** Until all of the limit is there again. */
  resetMs: number;
  /** Until the same request passes; 0 when it passed. */
  retryMs: number;
  /** What a refund has to name. */
  stamp: number;
}

/** A decision for a store to write into. */
export function newDecision(): Decision {
  return { allowed: true, remaining: 0, resetMs: 0, retryMs: 0, stamp: 0 };
}

/** The buckets of one limit, by key. `now` is monotonic milliseconds; a store with a clock of its own ignores it. */
export interface LimitStore {
  /** Takes `cost` (at most the capacity) or, when refused, nothing. A cost of 0 only asks. */
  take(key: string, cost: number, now: number): Decision | Promise<Decision>;
  /** Gives back what an allowed `take` took, whose decision had this stamp. */
  refund(key: string, cost: number, stamp: number): void | Promise<void>;
}

/** A limit that answers at once. */
export interface Limiter extends LimitStore {
  readonly numbers: LimitNumbers;
  take(key: string, cost: number, now: number): Decision;
  refund(key: string, cost: number, stamp: number): void;
}

/** The numbers an operator wrote. */
export function limitNumbers(config: Readonly<RateLimitConfig>): LimitNumbers {
  return {
    algorithm: config.algorithm,
    requests: config.requests,
    perMs: durationMs(config.per),
    capacity: (config.algorithm === 'token_bucket' ? config.burst : null) ?? config.requests,
  };
}
