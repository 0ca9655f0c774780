import type { Duration } from '../common/duration.js';

export class RateLimitConfig {
  requests!: number;
  per!: Duration;
  /** The token bucket's capacity; null = `requests`. */
  burst: number | null = null;
  algorithm: 'token_bucket' | 'sliding_window' | 'fixed_window' = 'token_bucket';
  /** ip, user, api_key, route or header:<name>. */
  by = 'ip';
  store: 'memory' | 'redis' = 'memory';
  on_store_failure: 'local' | 'open' | 'closed' = 'local';
}
