import { Module } from '@nestjs/common';

import { MemoryStores } from './stores/memory.stores.js';
import { MemoryThrottlerStorage } from './throttler-storage.js';

/** The process's buckets and their one sweep. */
@Module({
  providers: [MemoryStores, MemoryThrottlerStorage],
  exports: [MemoryStores, MemoryThrottlerStorage],
})
export class MemoryStoresModule {}
