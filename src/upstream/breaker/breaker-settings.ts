import { durationMs } from '../../common/duration.js';
import { statusSet } from '../../common/status-set.js';
import type { CircuitBreakerConfig } from '../../config/upstream.config.js';

/** `circuit_breaker` as the path needs it; times in milliseconds. */
export interface BreakerSettings {
  /** In a row. */
  readonly failures: number;
  readonly windowMs: number;
  readonly minRequests: number;
  readonly cooldownMs: number;
  readonly halfOpenRequests: number;
  readonly successes: number;
  isFailure(status: number): boolean;
}

export function breakerSettings(config: Readonly<CircuitBreakerConfig>): BreakerSettings {
  return {
    failures: config.failures,
    windowMs: durationMs(config.window),
    minRequests: config.min_requests,
    cooldownMs: durationMs(config.cooldown),
    halfOpenRequests: config.half_open_requests,
    successes: config.successes,
    isFailure: statusSet(config.statuses),
  };
}
