import { Inject, Injectable, Optional } from '@nestjs/common';

import { CLOCK, type Clock, systemClock } from '../common/clock.js';
import type { GatewayConfig } from '../config/gateway.config.js';
import type { RateLimitConfig } from '../config/rate-limit.config.js';
import type { RouteConfig } from '../config/route.config.js';
import { type LimitNumbers, limitNumbers } from './limit.js';
import { limitKey } from './limit-key.js';
import {
  limitOfUpstream,
  limitsBeforeIdentity,
  limitsByIdentity,
  limitsOfKeys,
  type PlacedLimit,
  upstreamsOf,
} from './limit-places.js';
import { LimitSet } from './limit-set.js';
import { LimitedCounters } from './limited-counts.js';
import { limitIdentity, LimiterRegistry } from './limiter.registry.js';
import type { RemoteLimit, RouteLimit } from './route-limit.js';
import { RedisLimitStores } from './stores/redis.stores.js';
import { type RedisLimitStore, redisRule } from './stores/redis.store.js';

type Document = Readonly<GatewayConfig>;

/** Compiles limits, and forgets what no document uses any more. */
@Injectable()
export class LimitCompiler {
  constructor(
    private readonly registry: LimiterRegistry,
    private readonly counters: LimitedCounters,
    private readonly stores: RedisLimitStores,
    @Optional() @Inject(CLOCK) private readonly clock: Clock = systemClock,
  ) {}

  /** The limits of one stage of a route; null for none. */
  setOf(route: Readonly<RouteConfig>, document: Document, limits: readonly PlacedLimit[]): LimitSet | null {
    if (limits.length === 0) return null;
    return new LimitSet(
      limits.map((limit) => this.#compile(limit, route.path, document)),
      this.clock,
    );
  }

  /** Opens what these limits, compiled later, are kept in. */
  openStores(document: Document, limits: Iterable<PlacedLimit>): void {
    for (const { id, config } of limits) if (config.store === 'redis') this.#remoteStore(id, document);
  }

  /** The document is in force: forgets buckets, counters and stores that none of its routes uses. */
  retain(document: Document): void {
    const limits = document.routes.flatMap((route) =>
      limitsAlong(route, document).map((limit) => this.#compile(limit, route.path, document)),
    );
    this.registry.retain(new Set(limits.map(({ limiter }) => limiter)));
    this.counters.retain(new Set(limits.map(({ counter }) => counter)));
    this.stores.retain(new Set(limits.flatMap(({ remote }) => (remote ? [remote.store] : []))));
  }

  #compile({ config, name, id }: PlacedLimit, path: string, document: Document): RouteLimit {
    const numbers = limitNumbers(config);
    return {
      name,
      id,
      limiter: this.registry.limiter(id, config.by, numbers),
      remote: config.store === 'redis' ? this.#remote(id, config, numbers, document) : null,
      keyOf: limitKey(config.by),
      counter: this.counters.counter(path, name),
    };
  }

  #remote(
    id: string,
    { by, on_store_failure }: Readonly<RateLimitConfig>,
    numbers: LimitNumbers,
    document: Document,
  ): RemoteLimit {
    return {
      store: this.#remoteStore(id, document),
      rule: redisRule(numbers),
      prefix: `${limitIdentity(id, by, numbers).replaceAll(' ', ':')}:`,
      onFailure: on_store_failure,
    };
  }

  #remoteStore(id: string, { redis }: Document): RedisLimitStore {
    if (!redis) throw new RangeError(`the limit ${id} is kept in Redis, and the document has none`);
    return this.stores.for(redis);
  }
}

/** All limits that an exchange on the route may meet. */
function limitsAlong(route: Readonly<RouteConfig>, document: Document): PlacedLimit[] {
  const upstream = [...upstreamsOf(route)].map((name) => limitOfUpstream(name, document));
  return [
    ...limitsBeforeIdentity(route, document),
    ...limitsByIdentity(route, document),
    ...limitsOfKeys(route.auth, document).values(),
    ...upstream.filter((limit) => limit !== null),
  ];
}
