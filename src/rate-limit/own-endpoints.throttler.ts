import { type ExecutionContext, Injectable, Module } from '@nestjs/common';
import { type ThrottlerLimitDetail, ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';

import { normaliseIp } from '../common/cidr.js';
import { Refusal } from '../exchange/refusal.js';
import { addressKey } from './limit-key.js';
import { MemoryStoresModule } from './memory-stores.module.js';
import { MemoryThrottlerStorage } from './throttler-storage.js';

/** Requests one peer may send to the gateway's own endpoints: for scrapers plenty, for guessing tokens few. */
const REQUESTS = 600;
const PER_MS = 60_000;

/**
 * Guards the gateway's own endpoints and the admin API; not for proxied routes, it is asynchronous. One bucket for
 * each peer over all of them, by the socket's address: there, no forwarded address is believed.
 */
@Injectable()
export class OwnEndpointsGuard extends ThrottlerGuard {
  protected override getTracker(request: Pick<FastifyRequest, 'socket'>): Promise<string> {
    return Promise.resolve(addressKey(normaliseIp(request.socket.remoteAddress ?? '') ?? ''));
  }

  protected override generateKey(_context: ExecutionContext, tracker: string): string {
    return tracker;
  }

  /** The one thing a throttler's own answer says differently: `Retry-After` and `retry_after` as on any route. */
  protected override throwThrottlingException(
    _: ExecutionContext,
    detail: ThrottlerLimitDetail,
  ): Promise<void> {
    const seconds = detail.timeToBlockExpire;
    const headers = { 'Retry-After': String(seconds) };
    return Promise.reject(new Refusal('rate_limited', { headers, members: { retry_after: seconds } }));
  }
}

@Module({
  imports: [
    MemoryStoresModule,
    ThrottlerModule.forRootAsync({
      imports: [MemoryStoresModule],
      inject: [MemoryThrottlerStorage],
      useFactory: (storage: MemoryThrottlerStorage) => ({
        throttlers: [{ limit: REQUESTS, ttl: PER_MS }],
        storage,
        // The X-RateLimit-* headers; the refusal brings its own Retry-After.
        setHeaders: false,
      }),
    }),
  ],
  providers: [OwnEndpointsGuard],
  exports: [OwnEndpointsGuard],
})
export class OwnEndpointsThrottlerModule {}
