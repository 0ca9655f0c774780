import type { GatewayConfig } from '../config/gateway.config.js';
import type { RouteConfig } from '../config/route.config.js';
import { Refusal } from '../exchange/refusal.js';
import type { Route } from '../exchange/route.js';
import type { MatchRequest, RouteMatcher } from '../exchange/snapshot.js';
import { canonicalTarget } from './canonical-path.js';

/** What upstreams read in more ways than one: letters, parameters of a segment, encoded separators, empty segments. */
const AMBIGUOUS = /[A-Z;]|%(?:2F|5C|3B|25)|\/\//;

/**
 * Keeps a client from choosing weaker guards by a spelling. Routes are matched by the canonical path, but an upstream
 * may read `//admin`, `/admin;x`, `/admin%2Fx` or `/ADMIN` as a path under `/admin`. Where such a reading belongs to a
 * route with guards, and the route that matched has others, the target is ambiguous.
 */
export class OtherReadings {
  readonly #guards = new Map<Readonly<RouteConfig>, string>();
  readonly #differ: boolean;

  constructor(config: Readonly<GatewayConfig>) {
    for (const route of config.routes) this.#guards.set(route, guardsOf(route));
    this.#differ = new Set(this.#guards.values()).size > 1;
  }

  /** Throws a Refusal (`bad_request`). Costs a comparison where all routes have the same guards. */
  check(request: MatchRequest, matched: Route, table: RouteMatcher): void {
    if (!this.#differ || !AMBIGUOUS.test(request.path)) return;
    for (const path of readingsOf(request.path)) {
      const other = table.match(new Reread(request, path))?.route ?? matched;
      if (other === matched || this.#asGuarded(matched, other)) continue;
      throw new Refusal('bad_request', { detail: 'the request target is malformed or ambiguous' });
    }
  }

  #asGuarded(matched: Route, other: Route): boolean {
    const guards = this.#guards.get(other.config);
    return guards === UNGUARDED || guards === this.#guards.get(matched.config);
  }
}

/** The same request for another path; its headers are looked at only where the table asks. */
class Reread implements MatchRequest {
  readonly method: string;
  readonly host: string | null;
  readonly query: string;

  constructor(
    private readonly request: MatchRequest,
    readonly path: string,
  ) {
    this.method = request.method;
    this.host = request.host;
    this.query = request.query;
  }

  get headers(): MatchRequest['headers'] {
    return this.request.headers;
  }
}

function guardsOf({ auth, roles, ip, guards }: Readonly<RouteConfig>): string {
  return JSON.stringify([auth, roles, ip, guards]);
}

const UNGUARDED = JSON.stringify(['none', [], null, []]);

/** As a lax upstream may read a canonical path, in its own letters and in small ones. */
function readingsOf(path: string): Set<string> {
  const decoded = canonicalTarget(path.replaceAll(/%(?:25)+(?=[0-9A-Fa-f]{2})/g, '%'))?.path ?? path;
  const loose = decoded
    .replaceAll(/%2F|%5C/g, '/')
    .replaceAll(/(?:;|%3B)[^/]*/g, '')
    .replaceAll(/\/{2,}/g, '/');
  const readings = new Set([loose, inSmallLetters(loose)]);
  readings.delete(path);
  return readings;
}

/** Escapes stay in capitals, as canonical ones are. */
function inSmallLetters(path: string): string {
  return path.replaceAll(/%[0-9A-F]{2}|[A-Z]+/g, (text) =>
    text.startsWith('%') ? text : text.toLowerCase(),
  );
}
