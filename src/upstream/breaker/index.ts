import type { CircuitBreakerConfig } from '../../config/upstream.config.js';
import type { Breaker } from '../../exchange/upstream.js';
import { breakerSettings } from './breaker-settings.js';
import { BreakerState } from './breaker-state.js';
import { type BreakerSubject, type BreakerTools, CircuitBreaker } from './circuit-breaker.js';

/**
 * The breaker of one backend; null where none is configured.
 *
 * @param before the backend's breaker on the snapshot in force: its circuit goes on as it is, by the new settings. It
 *   is not changed, as the new snapshot may be discarded.
 */
export function breakerFor(
  config: Readonly<CircuitBreakerConfig> | null,
  before: Breaker | null,
  subject: BreakerSubject,
  tools: BreakerTools,
): Breaker | null {
  if (config === null) return null;
  const state = before instanceof CircuitBreaker ? before.state : new BreakerState();
  return new CircuitBreaker(state, breakerSettings(config), subject, tools);
}
