import type { CircuitBreakerConfig } from '../../config/upstream.config.js';
import type { Breaker } from '../../exchange/upstream.js';

/** The breaker of one backend; null where none is configured. */
export function breakerFor(
  _config: Readonly<CircuitBreakerConfig> | null,
  _before: Breaker | null,
  _backend: { readonly upstream: string; readonly url: string },
  _tools: object,
): Breaker | null {
  return null;
}
