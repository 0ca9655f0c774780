import { setImmediate } from 'node:timers/promises';

import { Inject, Injectable } from '@nestjs/common';

import type { GatewayConfig } from '../config/gateway.config.js';
import type { RouteConfig } from '../config/route.config.js';
import { EXCHANGE_LOG, type ExchangeLog } from '../exchange/event-log.js';
import type { Exchange } from '../exchange/exchange.js';
import { REDIS_CONNECTIONS, type RedisConnections } from '../exchange/redis.js';
import type { Route } from '../exchange/route.js';
import {
  type CompiledUpstreams,
  ROUTE_MOUNTER,
  type RouteMounter,
  type Snapshot,
  SNAPSHOT_PREPARER,
  type SnapshotListener,
  type SnapshotPreparer,
  type Snapshots,
  UPSTREAM_COMPILER,
  type UpstreamCompiler,
} from '../exchange/snapshot.js';
import type { ConfigState } from '../exchange/telemetry.js';
import type { CurrentUpstreams, Upstream } from '../exchange/upstream.js';
import { KeptRoutes } from './kept-routes.js';
import { RouteTable } from './route-table.js';
import { compileTarget } from './target.js';

/** Routes compiled before the event loop gets its turn. */
const SLICE = 50;

/** Compiles documents into snapshots and holds the one in force. */
@Injectable()
export class SnapshotService implements Snapshots, CurrentUpstreams, ConfigState {
  #current: Snapshot | null = null;
  #version = 0;
  #applying: Promise<unknown> = Promise.resolve();
  readonly #listeners: SnapshotListener[] = [];
  /** Written by whoever reads documents: one that could not be read never gets here. */
  lastReloadSuccessful = true;

  constructor(
    @Inject(UPSTREAM_COMPILER) private readonly upstreamCompiler: UpstreamCompiler,
    @Inject(ROUTE_MOUNTER) private readonly mounter: RouteMounter,
    @Inject(SNAPSHOT_PREPARER) private readonly preparer: SnapshotPreparer,
    @Inject(REDIS_CONNECTIONS) private readonly redis: RedisConnections,
    @Inject(EXCHANGE_LOG) private readonly log: ExchangeLog,
  ) {
    upstreamCompiler.watch(() => {
      if (this.#current !== null) this.#tell(this.#current);
    });
  }

  /** Throws until the first document was applied: the listener opens after that. */
  get current(): Snapshot {
    if (this.#current === null) throw new Error('no configuration has been applied yet');
    return this.#current;
  }

  get configVersion(): number {
    return this.#version;
  }

  upstreams(): Iterable<Upstream> {
    return this.#current?.upstreams.values() ?? [];
  }

  subscribe(listener: SnapshotListener): void {
    this.#listeners.push(listener);
  }

  /** Compiles the document beside the one in force and swaps. Rejects, having changed nothing, when it can't. */
  apply(config: Readonly<GatewayConfig>): Promise<Snapshot> {
    const applied = this.#applying.then(() => this.#apply(config));
    this.#applying = applied.catch(() => {});
    return applied;
  }

  async #apply(config: Readonly<GatewayConfig>): Promise<Snapshot> {
    await this.preparer.prepare(config);
    const compiled = this.upstreamCompiler.compile(config);
    try {
      await compiled.ready();
      const routes = await this.#mountAll(config, compiled);
      const table = await RouteTable.buildSliced(routes);
      // What the routes keep in Redis counts from the first request on.
      await this.redis.opened();
      compiled.commit();
      this.#current = { version: ++this.#version, config, routes, upstreams: compiled.upstreams, table };
    } catch (error) {
      compiled.discard();
      throw error;
    }
    this.#tell(this.#current);
    return this.#current;
  }

  /** The snapshot serves already: a listener's fault is its own, and keeps neither the others nor the caller. */
  #tell(snapshot: Snapshot): void {
    for (const listener of this.#listeners) {
      try {
        listener.applied(snapshot);
      } catch (error) {
        this.log.internalError(null, error);
      }
    }
  }

  async #mountAll(config: Readonly<GatewayConfig>, compiled: CompiledUpstreams): Promise<Route[]> {
    const kept = new KeptRoutes(this.#current, config, compiled.upstreams);
    const routes: Route[] = [];
    for (const [index, written] of config.routes.entries()) {
      // oxlint-disable-next-line no-await-in-loop -- one slice after the other is the point.
      if (index % SLICE === SLICE - 1) await setImmediate();
      const found = kept.find(written);
      routes.push(found.route ?? this.#mount(found.config, config, compiled));
    }
    return routes;
  }

  #mount(
    config: Readonly<RouteConfig>,
    document: Readonly<GatewayConfig>,
    compiled: CompiledUpstreams,
  ): Route {
    const rewrite = compileTarget(config);
    const target = (exchange: Exchange): string | null => rewrite(exchange.target!, exchange);
    const mirror = config.mirror && compiled.upstreams.get(config.mirror.upstream)!;
    const choice = compiled.choiceFor(config);
    const handler = this.mounter.mount({ config, document, choice, mirror, target });
    return {
      id: config.id,
      path: config.path,
      config,
      upstream: compiled.upstreams.get(config.upstream)!,
      handler,
    };
  }
}
