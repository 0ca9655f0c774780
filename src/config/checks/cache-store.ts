import type { Draft } from '../draft.js';

/** Where entries are kept must be said. */
export function checkCacheStore({ document, report }: Draft): void {
  const { cache, redis } = document;
  if (cache.store !== 'redis' || redis) return;
  report.at(cache, 'store', 'redis is not configured, expected the key redis in the document');
}
