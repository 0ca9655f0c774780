import { durationMs } from '../common/duration.js';
import type { RateLimitConfig } from '../config/rate-limit.config.js';

/** A limit's numbers, as algorithms and stores see them. */
export interface LimitNumbers {
  readonly algorithm: RateLimitConfig['algorithm'];
  /** Requests given back in every `perMs`. */
  readonly requests: number;
  readonly perMs: number;
  /** Requests that may come at once: the token bucket's burst. */
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
}

/** The buckets of one limit, by key. `now` is monotonic milliseconds; a store with a clock of its own ignores it. */
export interface LimitStore {
  /** Takes `cost` (at most the capacity) or, when refused, nothing. A cost of 0 only asks. */
  take(key: string, cost: number, now: number): Decision | Promise<Decision>;
  /** Gives back what an allowed `take` took. */
  refund(key: string, cost: number): void | Promise<void>;
}

/** A limit that answers at once. */
export interface Limiter extends LimitStore {
  readonly numbers: LimitNumbers;
  take(key: string, cost: number, now: number): Decision;
  refund(key: string, cost: number): void;
}

/** The numbers an operator wrote. */
export function limitNumbers(config: Readonly<RateLimitConfig>): LimitNumbers {
  return {
    algorithm: config.algorithm,
    requests: config.requests,
    perMs: durationMs(config.per),
    capacity: config.burst ?? config.requests,
  };
}
