import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { describe, expect, it } from 'vitest';

import type { LimitNumbers } from '../limit.js';
import { MemoryStores } from './memory.stores.js';

const SECOND: LimitNumbers = { algorithm: 'token_bucket', requests: 5, perMs: 1_000, capacity: 5 };
const clock = { time: 0, now: () => clock.time, wall: () => clock.time };

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapMb(): number {
  collect();
  return process.memoryUsage().heapUsed / 1024 ** 2;
}

describe('MemoryStores', () => {
  it('sweeps all stores in bounded slices, quickly while much is idle', () => {
    const stores = new MemoryStores(clock);
    const [small, large] = [stores.open(SECOND), stores.open(SECOND)];
    for (let i = 0; i < 10; i++) small.take(`${i}`, 1, clock.time);
    for (let i = 0; i < 12_000; i++) large.take(`${i}`, 1, clock.time);
    clock.time += 1_000;
    const pauses = [stores.sweep(), stores.sweep(), stores.sweep(), stores.sweep()];
    expect(small.size + large.size).toBe(0);
    expect(pauses).toEqual([10, 10, 10, 1_000]);
  });

  it('no longer sweeps a store that was closed', () => {
    const stores = new MemoryStores(clock);
    const store = stores.open(SECOND);
    store.take('a', 1, clock.time);
    stores.close(store);
    clock.time += 1_000;
    stores.sweep();
    expect(store.size).toBe(1);
  });

  it('sweeps by itself', async () => {
    const stores = new MemoryStores(clock);
    const store = stores.open(SECOND);
    store.take('a', 1, clock.time);
    clock.time += 1_000;
    stores.onModuleInit();
    await expect.poll(() => store.size, { timeout: 5_000 }).toBe(0);
    stores.onModuleDestroy();
  });

  it('forgets a million keys within seconds, down to 20 MB', () => {
    const stores = new MemoryStores(clock);
    const store = stores.open(SECOND);
    const before = heapMb();
    for (let i = 0; i < 1_000_000; i++)
      store.take(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, 1, clock.time);
    const full = heapMb();
    clock.time += 1_000;
    let waited = 0;
    for (let pause = 0; store.size > 0; waited += pause) pause = stores.sweep();
    expect(waited).toBeLessThan(4_000);
    expect(full - before).toBeGreaterThan(30);
    expect(heapMb() - before).toBeLessThan(20);
  });
});
