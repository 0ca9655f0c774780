import { Module } from '@nestjs/common';

import { LIMITED_COUNTS } from '../exchange/telemetry.js';
import { ExceededReports } from './exceeded-reports.js';
import { LIMIT_EVENTS, LoggedLimitEvents } from './limit-events.js';
import { LimitedCounters } from './limited-counts.js';
import { LimiterRegistry } from './limiter.registry.js';
import { MemoryStoresModule } from './memory-stores.module.js';
import { RateLimitGuardFactory } from './rate-limit.guard-factory.js';

/** Limits on routes. Needs a global LOG; takes a global CLOCK where there is one. */
@Module({
  imports: [MemoryStoresModule],
  providers: [
    LimiterRegistry,
    LimitedCounters,
    ExceededReports,
    RateLimitGuardFactory,
    { provide: LIMIT_EVENTS, useClass: LoggedLimitEvents },
    { provide: LIMITED_COUNTS, useExisting: LimitedCounters },
  ],
  exports: [RateLimitGuardFactory, LimiterRegistry, LIMITED_COUNTS],
})
export class RateLimitModule {}
