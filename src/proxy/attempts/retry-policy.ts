import type { RetryConfig } from '../../config/route.config.js';
import type { Clock } from '../../common/clock.js';

/** When and how often the exchanges of one route are tried again. */
export interface RetryPolicy {
  /** Tries in all. */
  readonly attempts: number;
  /** Bytes of request body that are kept to be sent again. */
  readonly maxBody: number;
  /** Whether a request of this method may be sent again though the upstream may have seen it. */
  repeats(method: string): boolean;
  /** Whether an answer of this status is worth another try. */
  retries(status: number): boolean;
  /** Milliseconds before the next try, after `failed` of them; with full jitter where the policy has it. */
  backoffMs(failed: number): number;
  readonly budget: RetryBudget;
}

/** Bounds retries among requests, so that they can't become the load that keeps a backend down. */
export interface RetryBudget {
  /** A request began. */
  request(): void;
  /** A retry would begin: false when the budget does not have it. */
  take(): boolean;
}

/** null where the route has no retry. */
export function compileRetry(
  _config: Readonly<RetryConfig> | null,
  _tools: { readonly clock: Clock; readonly random: () => number },
): RetryPolicy | null {
  return null;
}
