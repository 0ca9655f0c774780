import { Inject, Injectable } from '@nestjs/common';

import { CLOCK, type Clock } from '../../common/clock.js';
import { sizeBytes } from '../../common/size.js';
import type { GatewayConfig } from '../../config/gateway.config.js';
import { LOG, type Log } from '../../exchange/event-log.js';
import type { CacheClear, CacheControl, CacheStats } from '../../exchange/gateway-control.js';
import { REDIS_CONNECTIONS, type RedisConnection, type RedisConnections } from '../../exchange/redis.js';
import type { Snapshot, SnapshotListener } from '../../exchange/snapshot.js';
import type { CachedCounts } from '../../exchange/telemetry.js';
import { CacheCounts, type RouteCacheCounts } from '../cache-counts.js';
import type { CacheStore, CacheStores } from '../cache-store.js';
import { Fetches } from '../fetch/fetches.js';
import { cacheStats } from './cache-stats.js';
import { MemoryStore } from './memory-store.js';
import { RedisStore } from './redis-store.js';

interface Held {
  readonly store: MemoryStore | RedisStore;
  /** The limits or the connection that it was made for. */
  readonly same: (document: Readonly<GatewayConfig>) => boolean;
}

/** One store for the whole process, made anew when its settings change; memory keeps what it holds even then. */
@Injectable()
export class ConfiguredCacheStores implements CacheStores, CacheControl, CachedCounts, SnapshotListener {
  #current: Held | null = null;
  /** Made for a document that is not in force yet. */
  #next: Held | null = null;
  readonly #watched = new WeakSet<RedisConnection>();

  constructor(
    private readonly counts: CacheCounts,
    private readonly fetches: Fetches,
    @Inject(REDIS_CONNECTIONS) private readonly redis: RedisConnections,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  storeFor(document: Readonly<GatewayConfig>): CacheStore {
    for (const held of [this.#current, this.#next]) if (held?.same(document)) return held.store;
    this.#next = document.cache.store === 'redis' ? this.#inRedis(document) : this.#inMemory(document);
    return this.#next.store;
  }

  applied({ config, routes }: Pick<Snapshot, 'config' | 'routes'>): void {
    this.counts.keep(routes);
    const [before, next] = [this.#current, this.#next];
    this.#next = null;
    if (!next?.same(config)) return;
    if (before?.store instanceof MemoryStore && next.store instanceof MemoryStore) {
      next.store.takeFrom(before.store);
    }
    this.#current = next;
  }

  stats(): CacheStats {
    return cacheStats(this.counts.all(), this.#current?.store ?? null);
  }

  async clear(filter: CacheClear): Promise<number> {
    this.fetches.invalidate(filter);
    return (await this.#current?.store.clear(filter)) ?? 0;
  }

  cachedCounts(): Iterable<Readonly<RouteCacheCounts>> {
    return this.counts.all();
  }

  cachedBytes(): number | null {
    const store = this.#current?.store;
    return store instanceof MemoryStore ? store.bytes : null;
  }

  #inMemory({ cache }: Readonly<GatewayConfig>): Held {
    const limits = { maxSize: sizeBytes(cache.max_size), maxEntrySize: sizeBytes(cache.max_entry_size) };
    return {
      store: new MemoryStore(limits, this.counts),
      same: (other) =>
        other.cache.store === 'memory' &&
        sizeBytes(other.cache.max_size) === limits.maxSize &&
        sizeBytes(other.cache.max_entry_size) === limits.maxEntrySize,
    };
  }

  #inRedis({ cache, redis }: Readonly<GatewayConfig>): Held {
    const connection = this.redis.for(redis!);
    this.#watch(connection);
    return {
      store: new RedisStore(connection, sizeBytes(cache.max_entry_size), this.clock),
      same: (other) =>
        other.cache.store === 'redis' &&
        other.cache.max_entry_size === cache.max_entry_size &&
        this.redis.for(other.redis!) === connection,
    };
  }

  #watch(connection: RedisConnection): void {
    if (this.#watched.has(connection)) return;
    this.#watched.add(connection);
    connection.watch((down) => {
      if (down) this.log.warn({ store: 'redis', err: down.message }, 'cache store unavailable');
      else this.log.info({ store: 'redis' }, 'cache store recovered');
    });
  }
}
