import { Module } from '@nestjs/common';

import { LIMIT_STORE_STATE, LIMITED_COUNTS } from '../exchange/telemetry.js';
import { IdentityLimitGuardFactory } from './identity-limit.guard-factory.js';
import { ExceededReports } from './exceeded-reports.js';
import { LimitCompiler } from './limit-compiler.js';
import { LIMIT_EVENTS, LoggedLimitEvents } from './limit-events.js';
import { LimitJudge } from './limit-judge.js';
import { LimitedCounters } from './limited-counts.js';
import { LimiterRegistry } from './limiter.registry.js';
import { MemoryStoresModule } from './memory-stores.module.js';
import { RateLimitGuardFactory } from './rate-limit.guard-factory.js';
import { RedisLimitStores } from './stores/redis.stores.js';
import { UpstreamLimitStage } from './upstream-limit.stage.js';

/** Limits in three stages of the path. Needs global LOG, EXCHANGE_LOG and REDIS_CONNECTIONS; takes a global CLOCK. */
@Module({
  imports: [MemoryStoresModule],
  providers: [
    LimiterRegistry,
    LimitedCounters,
    LimitCompiler,
    LimitJudge,
    ExceededReports,
    RedisLimitStores,
    RateLimitGuardFactory,
    IdentityLimitGuardFactory,
    UpstreamLimitStage,
    { provide: LIMIT_EVENTS, useClass: LoggedLimitEvents },
    { provide: LIMITED_COUNTS, useExisting: LimitedCounters },
    { provide: LIMIT_STORE_STATE, useExisting: RedisLimitStores },
  ],
  exports: [
    RateLimitGuardFactory,
    IdentityLimitGuardFactory,
    UpstreamLimitStage,
    LIMITED_COUNTS,
    LIMIT_STORE_STATE,
  ],
})
export class RateLimitModule {}
