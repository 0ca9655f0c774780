import { Inject, Injectable } from '@nestjs/common';

import { preflightMethod } from '../common/preflight.js';
import type { Exchange } from '../exchange/exchange.js';
import { Refusal } from '../exchange/refusal.js';
import type { Router } from '../exchange/router.js';
import {
  type MatchRequest,
  type RouteMatch,
  type RouteMatcher,
  SNAPSHOTS,
  type Snapshots,
} from '../exchange/snapshot.js';
import { canonicalTarget } from './canonical-path.js';
import { hostOf } from './host.js';
import { OtherReadings } from './other-readings.js';
import { isOwnEndpoint } from './own-endpoints.js';

/** Reads the target of an exchange and looks its route up in the snapshot in force. */
@Injectable()
export class TableRouter implements Router {
  /** The value read last and its host: traffic comes for few names, and reading one costs as much as a match. */
  #lastValue = '';
  #lastHost: string | null = null;
  #readings: OtherReadings | null = null;
  #readingsOf: unknown = null;

  constructor(@Inject(SNAPSHOTS) private readonly snapshots: Snapshots) {}

  route(exchange: Exchange): boolean {
    const target = canonicalTarget(exchange.head.target);
    if (target === null)
      throw new Refusal('bad_request', { detail: 'the request target is malformed or ambiguous' });
    exchange.target = target;
    exchange.path = target.path;
    const { table, config } = this.snapshots.current;
    if (isOwnEndpoint(target.path, config.metrics)) return false;
    const request = new Query(exchange, this.#host(target.authority ?? exchange.head.host), target.query);
    const match = preflightMatch(request, table) ?? table.match(request);
    if (match === null) {
      if (target.path === '/' && isRead(exchange.head.method)) return false;
      throw noMatch(table.allowedMethods(request));
    }
    this.#readingsFor(config).check(request, match.route, table);
    exchange.route = match.route;
    exchange.params = match.params;
    return true;
  }

  #readingsFor(config: Snapshots['current']['config']): OtherReadings {
    if (this.#readings === null || this.#readingsOf !== config) {
      this.#readings = new OtherReadings(config);
      this.#readingsOf = config;
    }
    return this.#readings;
  }

  #host(value: string): string | null {
    if (value === '') return null;
    if (value === this.#lastValue) return this.#lastHost;
    const host = hostOf(value);
    if (host === null) throw new Refusal('bad_request', { detail: 'the Host is malformed' });
    this.#lastValue = value;
    this.#lastHost = host;
    return host;
  }
}

/** What the table asks of an exchange. */
class Query implements MatchRequest {
  readonly method: string;
  readonly path: string;

  constructor(
    readonly exchange: Exchange,
    readonly host: string | null,
    readonly query: string,
  ) {
    this.method = exchange.head.method;
    this.path = exchange.path!;
  }

  /** Node builds this object at its first use: only header conditions need it. */
  get headers(): MatchRequest['headers'] {
    return this.exchange.raw!.headers;
  }
}

/** On a route without `cors` a preflight is a request like any other: its upstream may answer it. */
function preflightMatch({ exchange, path, host }: Query, table: RouteMatcher): RouteMatch | null {
  const asked = preflightMethod(exchange.head.method, exchange.head.rawHeaders);
  const match = asked === null ? null : table.matchPreflight(path, host, asked);
  return match === null || match.route.config.cors === null ? null : match;
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function noMatch(allowed: readonly string[]): Refusal {
  if (allowed.length === 0) return new Refusal('route_not_found');
  return new Refusal('method_not_allowed', { headers: { Allow: allowed.join(', ') } });
}
