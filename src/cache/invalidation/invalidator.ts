import type { Exchange } from '../../exchange/exchange.js';
import type { RouteCacheCounts } from '../cache-counts.js';
import type { CacheStore, StoredFilter } from '../cache-store.js';
import type { Fetches } from '../fetch/fetches.js';
import { ResponseFields } from '../fields/response-fields.js';
import { DEFAULT_PORT, groupOf, hostOf } from '../key-maker.js';

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
    for (const group of groupsOf(exchange, lines)) this.#clear({ group });
    for (const route of this.routes) this.#clear({ route });
  }

  #clear(filter: StoredFilter): void {
    this.fetches.invalidate(filter);
    const cleared = this.store.clear(filter);
    if (typeof cleared === 'number') this.counts.invalidations += cleared;
    else void cleared.then((count) => (this.counts.invalidations += count));
  }
}

/** Each target with its query and, for routes whose keys hold only part of one, without. */
function groupsOf(exchange: Exchange, lines: readonly string[]): Set<string> {
  const { path, query } = exchange.target!;
  const { location, contentLocation } = new ResponseFields(lines);
  const targets = [path + query, path];
  for (const said of [location, contentLocation]) {
    const url = said === null ? null : sameOrigin(said, exchange);
    if (url === null) continue;
    const named = canonicalPath(url.pathname);
    targets.push(named + url.search, named);
  }
  return new Set(targets.map((target) => groupOf(exchange, target)));
}

/** As targets of requests are compared: no escapes of what needs none, the others in upper case (RFC 3986 §6.2.2). */
function canonicalPath(path: string): string {
  return path.replaceAll(/%[0-9a-f]{2}|[^\w.~!$&'()*+,;=:@/%-]/gi, (piece) => {
    const byte = piece.length === 3 ? Number.parseInt(piece.slice(1), 16) : piece.charCodeAt(0);
    const character = String.fromCharCode(byte);
    if (piece.length === 3 && /[\w.~-]/.test(character)) return character;
    return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
}

/** Null for what is elsewhere: a client must not be able to have others' entries removed. */
function sameOrigin(said: string, exchange: Exchange): URL | null {
  const { rawPath, query } = exchange.target!;
  const base = URL.parse(`http://${hostOf(exchange).replace(DEFAULT_PORT, '')}${rawPath}${query}`);
  const url = base && URL.parse(said, base);
  return url !== null && url.host.replace(DEFAULT_PORT, '') === base?.host ? url : null;
}
