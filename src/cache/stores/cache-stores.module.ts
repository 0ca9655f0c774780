import { Global, Module } from '@nestjs/common';

import { CACHE_CONTROL } from '../../exchange/gateway-control.js';
import { CACHED_COUNTS } from '../../exchange/telemetry.js';
import { CacheCounts } from '../cache-counts.js';
import { Fetches } from '../fetch/fetches.js';
import { CACHE_STORES } from '../cache-store.js';
import { ConfiguredCacheStores } from './configured-stores.js';

/** Where answers are kept, and what the admin API and the metrics know of it. Needs REDIS_CONNECTIONS, CLOCK and LOG. */
@Global()
@Module({
  providers: [
    CacheCounts,
    Fetches,
    ConfiguredCacheStores,
    { provide: CACHE_STORES, useExisting: ConfiguredCacheStores },
    { provide: CACHE_CONTROL, useExisting: ConfiguredCacheStores },
    { provide: CACHED_COUNTS, useExisting: ConfiguredCacheStores },
  ],
  exports: [CacheCounts, Fetches, ConfiguredCacheStores, CACHE_STORES, CACHE_CONTROL, CACHED_COUNTS],
})
export class CacheStoresModule {}
