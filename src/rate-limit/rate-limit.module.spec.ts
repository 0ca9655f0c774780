import { Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { describe, expect, it } from 'vitest';

import { EXCHANGE_LOG, LOG } from '../exchange/event-log.js';
import { REDIS_CONNECTIONS } from '../exchange/redis.js';
import { LIMITED_COUNTS, type LimitedCounts } from '../exchange/telemetry.js';
import { GatewayConfig } from '../config/gateway.config.js';
import { RateLimitConfig } from '../config/rate-limit.config.js';
import { RouteConfig } from '../config/route.config.js';
import { RateLimitGuardFactory } from './rate-limit.guard-factory.js';
import { RateLimitModule } from './rate-limit.module.js';

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

@Global()
@Module({
  providers: [
    { provide: LOG, useValue: silent },
    { provide: EXCHANGE_LOG, useValue: silent },
    { provide: REDIS_CONNECTIONS, useValue: {} },
  ],
  exports: [LOG, EXCHANGE_LOG, REDIS_CONNECTIONS],
})
class GlobalModule {}

describe('RateLimitModule', () => {
  it('gives the path its factory and the metrics their counts', async () => {
    const application = await Test.createTestingModule({
      imports: [GlobalModule, RateLimitModule],
    }).compile();
    await application.init();
    const rate_limit = [Object.assign(new RateLimitConfig(), { requests: 1, per: '1s' })];
    const route = Object.assign(new RouteConfig(), { id: 'a', path: '/a', upstream: 'up', rate_limit });
    const guard = application.get(RateLimitGuardFactory).guardFor(route, new GatewayConfig());
    const counts = application.get<LimitedCounts>(LIMITED_COUNTS).limitedCounts();
    expect(guard?.limits.limits).toHaveLength(1);
    expect([...counts]).toEqual([{ path: '/a', limit: 'default', count: 0 }]);
    await application.close();
  });
});
