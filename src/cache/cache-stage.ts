import { Inject, Injectable } from '@nestjs/common';

import { CLOCK, type Clock } from '../common/clock.js';
import type { GatewayConfig } from '../config/gateway.config.js';
import type { RouteConfig } from '../config/route.config.js';
import { EXCHANGE_LOG, type ExchangeLog } from '../exchange/event-log.js';
import type { Forwarder, ForwarderFactory, RouteTools } from '../exchange/forwarder.js';
import { CacheCounts } from './cache-counts.js';
import { compilePolicy } from './cache-policy.js';
import { CACHE_STORES, type CacheStores } from './cache-store.js';
import { CachingForwarder } from './caching-forwarder.js';
import { Entries } from './fetch/entries.js';
import { Fetches } from './fetch/fetches.js';
import { Flights } from './fetch/flights.js';
import { InvalidatingForwarder } from './invalidation/invalidating-forwarder.js';
import { Invalidator } from './invalidation/invalidator.js';
import { isSafe } from './invalidation/safe-methods.js';
import { mayShareTargets } from './invalidation/shared-targets.js';
import { KeyMaker } from './key-maker.js';

/**
 * The response cache (RFC 9111) in front of the routes that set `cache`. A route that sets none has a share in it only
 * where its unsafe requests may change what another one stores.
 */
@Injectable()
export class CacheStage implements ForwarderFactory {
  readonly stage = 'cache';
  readonly #flights = new Flights();

  constructor(
    @Inject(CACHE_STORES) private readonly stores: CacheStores,
    private readonly fetches: Fetches,
    private readonly counts: CacheCounts,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(EXCHANGE_LOG) private readonly log: ExchangeLog,
  ) {}

  wrap(
    route: Readonly<RouteConfig>,
    document: Readonly<GatewayConfig>,
    next: Forwarder,
    tools: RouteTools,
  ): Forwarder | undefined {
    const inner = route.cache === null ? next : this.#caching(route, document, next, tools);
    const forwarder = changesStored(route, document) ? this.#invalidating(route, document, inner) : inner;
    return forwarder === next ? undefined : forwarder;
  }

  // oxlint-disable-next-line max-params -- what a stage is given.
  #caching(
    route: Readonly<RouteConfig>,
    document: Readonly<GatewayConfig>,
    next: Forwarder,
    tools: RouteTools,
  ): Forwarder {
    const store = this.stores.storeFor(document);
    const counts = this.counts.of(route.id, route.path);
    return new CachingForwarder({
      policy: compilePolicy(route.cache!, document),
      keys: new KeyMaker(route, document, tools),
      entries: new Entries(store, counts),
      fetches: this.fetches,
      flights: this.#flights,
      clock: this.clock,
      log: this.log,
      counts,
      store,
      next,
      tools,
    });
  }

  #invalidating(route: Readonly<RouteConfig>, document: Readonly<GatewayConfig>, next: Forwarder): Forwarder {
    const store = this.stores.storeFor(document);
    const counts = this.counts.of(route.id, route.path);
    const routes = route.cache?.invalidates ?? [];
    return new InvalidatingForwarder(next, new Invalidator(store, this.fetches, counts, routes));
  }
}

/** Whether unsafe requests of this route may change what one of the document's routes stores. */
function changesStored(route: Readonly<RouteConfig>, document: Readonly<GatewayConfig>): boolean {
  if (route.methods?.every(isSafe)) return false;
  if (route.cache !== null && route.cache.invalidates.length > 0) return true;
  return document.routes.some(
    (other) => other.cache !== null && (other === route || mayShareTargets(route, other)),
  );
}
