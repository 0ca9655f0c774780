import type { Duration } from '../common/duration.js';
import { orNull } from './keys/composites.js';
import { Key } from './keys/key.js';
import { duration, integer, oneOf, textLike } from './keys/scalars.js';

const amount = integer({ min: 1, max: 1_000_000_000 });
const by = textLike(
  /^(ip|user|api_key|route|header:[!#$%&'*+\-.^_`|~0-9A-Za-z]+)$/,
  'ip, user, api_key, route or header:<name>',
);

export class RateLimitConfig {
  @Key(amount, 'Requests that may pass in the time `per`.', { required: true })
  requests!: number;

  @Key(duration(), 'The time in which that many requests may pass.', { required: true })
  per!: Duration;

  /** The token bucket's capacity; null = `requests`. */
  @Key(orNull(amount), 'Capacity of the token bucket; null = `requests`.')
  burst: number | null = null;

  @Key(oneOf('token_bucket', 'sliding_window', 'fixed_window'), 'How requests are counted.')
  algorithm: 'token_bucket' | 'sliding_window' | 'fixed_window' = 'token_bucket';

  /** ip, user, api_key, route or header:<name>. */
  @Key(by, 'Who shares a limit: ip, user, api_key, route (all together) or header:<name>.')
  by = 'ip';

  @Key(oneOf('memory', 'redis'), 'Where the counts are kept.')
  store: 'memory' | 'redis' = 'memory';

  @Key(oneOf('local', 'open', 'closed'), 'While the store is away: count here, let pass, or refuse.')
  on_store_failure: 'local' | 'open' | 'closed' = 'local';
}

/** The limit over everything together: `by: route` counts all requests as one, other values narrow it. */
export class TotalRateLimitConfig extends RateLimitConfig {
  @Key(by, 'Who shares the limit; route = all requests together.')
  override by = 'route';
}

/** Of a single API key: all its requests are one, unless `by` narrows that. */
export class KeyRateLimitConfig extends RateLimitConfig {
  @Key(by, 'Who shares the limit; api_key = all requests with the key.')
  override by = 'api_key';
}

export class UserRateLimitConfig extends RateLimitConfig {
  @Key(by, 'Who shares the limit.')
  override by = 'user';
}
