import { Module } from '@nestjs/common';

import { CacheStage } from './cache-stage.js';
import { CacheStoresModule } from './stores/cache-stores.module.js';

/** The response cache. Needs what its stores need, and EXCHANGE_LOG. */
@Module({
  imports: [CacheStoresModule],
  providers: [CacheStage],
  exports: [CacheStage],
})
export class CacheModule {}
