import type { Exchange } from '../../exchange/exchange.js';
import type { RouteCacheCounts } from '../cache-counts.js';
import type { CacheStore, StoredFilter } from '../cache-store.js';
import type { Fetches } from '../fetch/fetches.js';
import { ResponseFields } from '../fields/response-fields.js';
import { groupOf, hostOf } from '../key-maker.js';

/** Removes what an unsafe request may have changed (RFC 9111 §4.4), and what else the route names. */
export class Invalidator {
  constructor(
    private readonly store: CacheStore,
    private readonly fetches: Fetches,
    private readonly counts: RouteCacheCounts,
    private readonly routes: readonly string[],
  ) {}

  /** @param lines header lines of the answer, which is no error */
  invalidate(exchange: Exchange, lines: readonly string[]): void {
    for (const group of groupsOf(exchange, lines)) {
      this.fetches.invalidateGroup(group);
      this.#clear({ group });
    }
    for (const route of this.routes) {
      this.fetches.invalidateRoute(route);
      this.#clear({ route });
    }
  }

  #clear(filter: StoredFilter): void {
    const cleared = this.store.clear(filter);
    if (typeof cleared === 'number') this.counts.invalidations += cleared;
    else void cleared.then((count) => (this.counts.invalidations += count));
  }
}

/** Each target with its query and, for routes whose keys hold only part of one, without. */
function groupsOf(exchange: Exchange, lines: readonly string[]): Set<string> {
  const { rawPath, originForm } = exchange.target!;
  const { location, contentLocation } = new ResponseFields(lines);
  const targets = [originForm, rawPath];
  for (const said of [location, contentLocation]) {
    const url = said === null ? null : sameOrigin(said, exchange);
    if (url !== null) targets.push(url.pathname + url.search, url.pathname);
  }
  return new Set(targets.map((target) => groupOf(exchange, target)));
}

/** Null for what is elsewhere: a client must not be able to have others' entries removed. */
function sameOrigin(said: string, exchange: Exchange): URL | null {
  const base = URL.parse(`http://${hostOf(exchange)}${exchange.target!.originForm}`);
  const url = base && URL.parse(said, base);
  return url !== null && url.host === base?.host ? url : null;
}
