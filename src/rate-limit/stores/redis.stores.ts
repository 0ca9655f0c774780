import { Inject, Injectable } from '@nestjs/common';

import type { RedisConfig } from '../../config/observability.config.js';
import { LOG, type Log } from '../../exchange/event-log.js';
import { REDIS_CONNECTIONS, type RedisConnection, type RedisConnections } from '../../exchange/redis.js';
import type { LimitStoreState } from '../../exchange/telemetry.js';
import { RedisLimitStore, type StoreEvents } from './redis.store.js';

const STORE = { store: 'redis' };

/** The limits in Redis: one store for each connection that some document in use has. */
@Injectable()
export class RedisLimitStores implements LimitStoreState {
  readonly #stores = new Map<RedisConnection, RedisLimitStore>();
  readonly #events: StoreEvents;

  constructor(
    @Inject(REDIS_CONNECTIONS) private readonly connections: RedisConnections,
    @Inject(LOG) log: Log,
  ) {
    this.#events = {
      unavailable: ({ message }) => log.warn({ ...STORE, err: message }, 'rate limit store unavailable'),
      recovered: () => log.info(STORE, 'rate limit store recovered'),
    };
  }

  for(config: Readonly<RedisConfig>): RedisLimitStore {
    const connection = this.connections.for(config);
    let store = this.#stores.get(connection);
    if (!store) this.#stores.set(connection, (store = new RedisLimitStore(connection, this.#events)));
    return store;
  }

  /** Forgets every store that is not among these. */
  retain(used: ReadonlySet<RedisLimitStore>): void {
    for (const [connection, store] of this.#stores) {
      if (used.has(store)) continue;
      this.#stores.delete(connection);
      store.retire();
    }
  }

  limitStoreUp(): boolean | null {
    const stores = [...this.#stores.values()];
    return stores.length === 0 ? null : stores.every(({ down }) => !down);
  }
}
