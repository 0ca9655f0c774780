import { sizeBytes } from '../../common/size.js';
import type { Draft } from '../draft.js';
import { shown } from '../secrets.js';

/** Where entries are kept must be said, and each must fit in. */
export function checkCacheStore({ document, report }: Draft): void {
  const { cache, redis } = document;
  if (sizeBytes(cache.max_entry_size) > sizeBytes(cache.max_size)) {
    const limit = `expected at most max_size (${shown(cache, 'max_size')})`;
    report.at(cache, 'max_entry_size', `${shown(cache, 'max_entry_size')} is too large, ${limit}`);
  }
  if (cache.store !== 'redis' || redis) return;
  report.at(cache, 'store', 'redis is not configured, expected the key redis in the document');
}
