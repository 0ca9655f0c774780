import { Inject, Injectable } from '@nestjs/common';

import { CLOCK, type Clock } from './common/clock.js';
import { VERSION } from './common/version.js';
import { CONFIG_FILE } from './config/config.module.js';
import {
  type BackendChange,
  type BackendChanged,
  CACHE_CONTROL,
  type CacheClear,
  type CacheCleared,
  type CacheControl,
  type CacheStats,
  type GatewayControl,
  type GatewayStatus,
  type RouteStatus,
  type UpstreamStatus,
} from './exchange/gateway-control.js';
import type { Readiness } from './exchange/readiness.js';
import type { Route } from './exchange/route.js';
import { ActiveExchanges } from './proxy/active-exchanges.js';
import { SnapshotService } from './routing/snapshot.service.js';
import { setBackendState } from './upstream/draining.js';
import { upstreamStatus } from './upstream/status.js';

/** The gateway as its own endpoints and the admin application see it; a composition root, as it asks every room. */
@Injectable()
export class GatewayState implements GatewayControl, Readiness {
  /** Set when the listener is open, cleared when a stop begins. */
  listening = false;

  constructor(
    private readonly snapshots: SnapshotService,
    private readonly active: ActiveExchanges,
    @Inject(CONFIG_FILE) private readonly file: string,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CACHE_CONTROL) private readonly cache: CacheControl,
  ) {}

  ready(): boolean {
    return this.listening && this.snapshots.configVersion > 0;
  }

  status(): Promise<GatewayStatus> {
    return Promise.resolve({
      version: VERSION,
      config_version: this.snapshots.configVersion,
      file: this.file,
      ready: this.ready(),
      draining: this.active.draining,
      in_flight: this.active.size,
    });
  }

  routes(): Promise<RouteStatus[]> {
    return Promise.resolve(this.snapshots.current.routes.map(routeStatus));
  }

  upstreams(): Promise<UpstreamStatus[]> {
    return Promise.resolve(upstreamStatus(this.snapshots.upstreams()));
  }

  setBackendState(change: BackendChange): Promise<BackendChanged> {
    return Promise.resolve(setBackendState(this.snapshots.upstreams(), change, this.clock));
  }

  cacheStats(): Promise<CacheStats> {
    return Promise.resolve(this.cache.stats());
  }

  async clearCache(clear: CacheClear): Promise<CacheCleared> {
    const cleared = await this.cache.clear(clear);
    const known = this.snapshots.current.routes.map(({ id }) => id);
    // A route that is gone may have left entries behind.
    if (cleared === 0 && clear.route !== undefined && !known.includes(clear.route)) return { known };
    return { cleared };
  }
}

function routeStatus({ id, path, config, upstream }: Route): RouteStatus {
  const { methods, hosts, metadata } = config;
  const split = config.split && config.split.map((share) => share.upstream);
  return { id, path, methods, hosts, upstream: upstream.name, split, metadata };
}
