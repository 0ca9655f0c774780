import { Inject, Injectable, Optional } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';

import { CLOCK, type Clock, systemClock } from '../common/clock.js';
import type { Limiter } from './limit.js';
import { MemoryStores } from './stores/memory.stores.js';

type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/**
 * @nestjs/throttler over the gateway's own buckets: the stock storage keeps a list of times for each key and
 * costs a proxied request many times over (docs/rate-limits.md). A bucket gives back one request at a time, so
 * there is nothing that `blockDuration` could add; it is ignored.
 */
@Injectable()
export class MemoryThrottlerStorage implements ThrottlerStorage {
  readonly #limiters = new Map<string, Limiter>();

  constructor(
    private readonly stores: MemoryStores,
    @Optional() @Inject(CLOCK) private readonly clock: Clock = systemClock,
  ) {}

  /** `ttl` is milliseconds; the record's times are whole seconds. */
  increment(
    key: string,
    ttl: number,
    limit: number,
    _block: number,
    throttler: string,
  ): Promise<ThrottlerRecord> {
    const decision = this.#limiter(throttler, ttl, limit).take(key, 1, this.clock.now());
    return Promise.resolve({
      totalHits: decision.allowed ? limit - decision.remaining : limit + 1,
      timeToExpire: Math.ceil(decision.resetMs / 1_000),
      isBlocked: !decision.allowed,
      timeToBlockExpire: Math.ceil(decision.retryMs / 1_000),
    });
  }

  /** Numbers come from the code of guarded endpoints, so they are few. */
  #limiter(throttler: string, perMs: number, requests: number): Limiter {
    const identity = `${throttler} ${perMs} ${requests}`;
    const known = this.#limiters.get(identity);
    if (known) return known;
    const opened = this.stores.open({ algorithm: 'token_bucket', requests, perMs, capacity: requests });
    this.#limiters.set(identity, opened);
    return opened;
  }
}
