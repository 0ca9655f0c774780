import { Injectable, type OnModuleDestroy } from '@nestjs/common';

import { sameData } from '../common/same-data.js';
import type { RedisConfig } from '../config/observability.config.js';
import type { RedisConnection, RedisConnections } from '../exchange/redis.js';
import type { Snapshot, SnapshotListener } from '../exchange/snapshot.js';
import { SharedConnection } from './shared-connection.js';

interface Open {
  readonly config: Readonly<RedisConfig>;
  readonly connection: SharedConnection;
}

/** Keeps a connection over reloads that leave its settings as they are. */
@Injectable()
export class ConfiguredRedisConnections implements RedisConnections, SnapshotListener, OnModuleDestroy {
  #open: Open[] = [];

  for(config: Readonly<RedisConfig>): RedisConnection {
    const known = this.#open.find((open) => sameData(open.config, config));
    if (known) return known.connection;
    const connection = new SharedConnection(config);
    this.#open.push({ config, connection });
    return connection;
  }

  async opened(): Promise<void> {
    await Promise.all(this.#open.map(({ connection }) => connection.opened));
  }

  applied({ config }: Pick<Snapshot, 'config'>): void {
    this.#closeBut((open) => config.redis !== null && sameData(open.config, config.redis));
  }

  onModuleDestroy(): void {
    this.#closeBut(() => false);
  }

  #closeBut(needed: (open: Open) => boolean): void {
    const retired = this.#open.filter((open) => !needed(open));
    this.#open = this.#open.filter(needed);
    for (const { connection } of retired) connection.close();
  }
}
