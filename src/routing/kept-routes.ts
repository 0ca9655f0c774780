import { sameData } from '../common/same-data.js';
import type { GatewayConfig } from '../config/gateway.config.js';
import type { RouteConfig } from '../config/route.config.js';
import type { Route } from '../exchange/route.js';
import type { Snapshot } from '../exchange/snapshot.js';
import type { Upstream } from '../exchange/upstream.js';

type Upstreams = ReadonlyMap<string, Upstream>;

/**
 * What of the routes in force a new document leaves as it is. A route stays mounted when nothing that its chain was
 * compiled from changed: its own settings, its upstreams, and the whole document but for routes and upstreams, as a
 * guard may have read anything there.
 */
export class KeptRoutes {
  readonly #routes: ReadonlyMap<string, Route>;
  readonly #sameDocument: boolean;

  constructor(
    private readonly before: Snapshot | null,
    document: Readonly<GatewayConfig>,
    private readonly upstreams: Upstreams,
  ) {
    this.#routes = new Map(before?.routes.map((route) => [route.id, route]));
    this.#sameDocument = before !== null && sameData(others(before.config), others(document));
  }

  /** The mounted route with the same settings; `config` is its own where that says the same, for all to see. */
  find(config: Readonly<RouteConfig>): { route: Route | null; config: Readonly<RouteConfig> } {
    const known = this.#routes.get(config.id);
    if (known === undefined || !sameData(known.config, config)) return { route: null, config };
    const stays = this.#sameDocument && upstreamsOf(config).every((name) => this.#isKept(name));
    return { route: stays ? known : null, config: known.config };
  }

  #isKept(name: string): boolean {
    return this.before?.upstreams.get(name) === this.upstreams.get(name);
  }
}

function others({ routes: _routes, upstreams: _upstreams, ...rest }: Readonly<GatewayConfig>): object {
  return rest;
}

function upstreamsOf({ upstream, split, mirror }: Readonly<RouteConfig>): string[] {
  const names = [upstream, mirror?.upstream, ...(split ?? []).map((share) => share.upstream)];
  return names.filter((name) => typeof name === 'string');
}
