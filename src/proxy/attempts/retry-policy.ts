import type { Clock } from '../../common/clock.js';
import { durationMs } from '../../common/duration.js';
import { sizeBytes } from '../../common/size.js';
import { statusSet } from '../../common/status-set.js';
import type { RetryConfig } from '../../config/route.config.js';
import { type RetryBudget, SlidingRetryBudget } from './retry-budget.js';

/** When and how often the exchanges of one route are tried again. */
export interface RetryPolicy {
  /** Tries in all. */
  readonly attempts: number;
  /** Bytes of request body that are kept to be sent again. */
  readonly maxBody: number;
  /** Whether a request of this method may be sent again though the upstream may have seen it. */
  readonly repeats: (method: string) => boolean;
  /** Whether an answer of this status is worth another try. */
  readonly retries: (status: number) => boolean;
  /** Milliseconds before the next try, after `failed` of them; with full jitter where the policy has it. */
  readonly backoffMs: (failed: number) => number;
  readonly budget: RetryBudget;
}

export interface RetryTools {
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
}

/** null where the route has no retry. */
export function compileRetry(config: Readonly<RetryConfig> | null, tools: RetryTools): RetryPolicy | null {
  if (config === null) return null;
  const methods = new Set(config.methods);
  return {
    attempts: config.attempts,
    maxBody: sizeBytes(config.max_body),
    repeats: (method) => methods.has(method),
    retries: statusSet(config.statuses),
    backoffMs: compileBackoff(config, tools),
    budget: new SlidingRetryBudget(Number.parseInt(config.budget, 10) / 100, tools.clock),
  };
}

/** Full jitter: anything from nothing to the whole wait, so that those who failed together do not return together. */
function compileBackoff(
  { backoff, max_backoff, multiplier, jitter }: Readonly<RetryConfig>,
  { random }: RetryTools,
): (failed: number) => number {
  const [first, longest] = [durationMs(backoff), durationMs(max_backoff)];
  const whole = (failed: number): number => Math.min(longest, first * multiplier ** (failed - 1));
  return jitter ? (failed) => random() * whole(failed) : whole;
}
