import type { CacheStats, RouteCacheStats } from '../../exchange/gateway-control.js';
import type { RouteCacheCounts } from '../cache-counts.js';
import { MemoryStore } from './memory-store.js';
import type { RedisStore } from './redis-store.js';

const COUNTED = ['hits', 'misses', 'stores', 'evictions', 'invalidations'] as const;

/** What is stored where it can be told (`null`: Redis holds it, for other gateways too), and the counts of all routes. */
export function cacheStats(
  counts: Iterable<Readonly<RouteCacheCounts>>,
  store: MemoryStore | RedisStore | null,
): CacheStats {
  const memory = store instanceof MemoryStore ? store : null;
  const held = memory?.routes();
  const routes = Array.from(counts, ({ route, path: _path, ...numbers }): RouteCacheStats => {
    const { entries, bytes } = held?.get(route) ?? { entries: 0, bytes: 0 };
    return { id: route, entries: memory ? entries : null, bytes: memory ? bytes : null, ...numbers };
  });
  const totals = Object.fromEntries(
    COUNTED.map((name) => [name, routes.reduce((sum, route) => sum + route[name], 0)]),
  ) as Record<(typeof COUNTED)[number], number>;
  return { entries: memory?.size ?? null, bytes: memory?.bytes ?? null, ...totals, routes };
}
