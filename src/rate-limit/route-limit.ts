import type { RateLimitConfig } from '../config/rate-limit.config.js';
import type { Limiter } from './limit.js';
import type { LimitKey } from './limit-key.js';
import type { LimitedCounter } from './limited-counts.js';
import type { RedisLimitStore, RedisRule } from './stores/redis.store.js';

/** One limit of a route, compiled. */
export interface RouteLimit {
  /** As headers, log lines and metrics call it: `default`, `default-2`, …, `global`, `user`, `key`, `upstream`. */
  readonly name: string;
  /** Its place in the document: route and position. */
  readonly id: string;
  /** Its buckets in memory; of a limit in Redis those that stand in while Redis is away. */
  readonly limiter: Limiter;
  /** Null for a limit in memory. */
  readonly remote: RemoteLimit | null;
  readonly keyOf: LimitKey;
  readonly counter: LimitedCounter;
}

/** Where the counts of a limit in Redis are. */
export interface RemoteLimit {
  /** One for all limits of a document. */
  readonly store: RedisLimitStore;
  readonly rule: RedisRule;
  /** Put in front of a bucket's key: equal in all gateways whose document says the same of the limit. */
  readonly prefix: string;
  readonly onFailure: RateLimitConfig['on_store_failure'];
}
