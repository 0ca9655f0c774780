import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { describe, expect, it } from 'vitest';

import { limitNumbers } from '../../src/rate-limit/limit.js';
import { MemoryStores } from '../../src/rate-limit/stores/memory.stores.js';
import { RateLimitConfig } from '../../src/config/rate-limit.config.js';
import { echoUpstream, startTestGateway } from '../support/index.js';

const ALGORITHMS = ['token_bucket', 'sliding_window', 'fixed_window'] as const;
const KEYS = 1_000_000;
const MB = 1024 ** 2;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapMb(): number {
  collect();
  return process.memoryUsage().heapUsed / MB;
}

function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}

describe.each(ALGORITHMS)('case 51: a million distinct keys, %s', (algorithm) => {
  it('are gone within seconds after their window, and no key has a timer', () => {
    let now = 0;
    const stores = new MemoryStores({ now: () => now, wall: () => now });
    const numbers = limitNumbers(Object.assign(new RateLimitConfig(), { requests: 5, per: '1s', algorithm }));
    const store = stores.open(numbers);
    const [before, timersBefore] = [heapMb(), timers()];
    for (let i = 0; i < KEYS; i++) store.take(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, 1, now);
    expect(store.size).toBe(KEYS);
    expect(heapMb() - before).toBeGreaterThan(30);
    expect(timers()).toBe(timersBefore);
    // A key of the sliding window counts for two.
    now += 2_000;
    const idleAt = now;
    while (store.size > 0) now += stores.sweep();
    expect(now - idleAt).toBeLessThan(4_000);
    expect(heapMb() - before).toBeLessThan(20);
  }, 60_000);
});

it('case 51: long values of a header that differ at their end are different keys', async () => {
  const upstream = await echoUpstream();
  const gateway = await startTestGateway({
    routes: [
      {
        path: '/a',
        rate_limit: { requests: 1, per: '1h', by: 'header:x-tenant' },
        backends: [upstream.backend],
      },
    ],
  });
  const tenant = (value: string) => gateway.get('/a', { headers: { 'x-tenant': value } });
  const long = 'x'.repeat(14_000);
  for (let i = 0; i < 50; i++) expect((await tenant(`${long}${i}`)).status).toBe(200);
  expect((await tenant(`${long}7`)).status).toBe(429);
  // Who sends none shares a bucket with all others who don't.
  expect([(await gateway.get('/a')).status, (await gateway.get('/a')).status]).toEqual([200, 429]);
  expect((await tenant('')).status).toBe(200);
});
