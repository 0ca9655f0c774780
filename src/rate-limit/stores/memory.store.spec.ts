import { describe, expect, it } from 'vitest';

import { algorithmOf } from '../algorithms/algorithm.js';
import type { LimitNumbers } from '../limit.js';
import { limitStoreContract } from './limit-store.contract.js';
import { MemoryLimitStore } from './memory.store.js';

const MINUTE: LimitNumbers = { algorithm: 'token_bucket', requests: 60, perMs: 60_000, capacity: 60 };
const storeOf = (numbers: LimitNumbers, maxKeys?: number) =>
  new MemoryLimitStore(numbers, algorithmOf(numbers), maxKeys);

limitStoreContract('memory', (numbers) => {
  let now = 1_000;
  return { store: storeOf(numbers), now: () => now, advance: (ms) => void (now += ms) };
});

describe('MemoryLimitStore', () => {
  it('forgets idle keys alone, as many as it may look at', () => {
    const store = storeOf(MINUTE);
    for (let i = 0; i < 100; i++) store.take(`quiet ${i}`, 1, 0);
    for (let i = 0; i < 10; i++) store.take(`busy ${i}`, 5, 0);
    expect(store.sweep(30, 1_000)).toBe(30);
    expect(store.sweep(1_000, 1_000)).toBe(70);
    expect(store.size).toBe(10);
    expect(store.take('busy 3', 1, 1_000).remaining).toBe(55);
  });

  it('does not forget a key before its bucket is full', () => {
    const store = storeOf(MINUTE);
    store.take('a', 3, 500);
    expect(store.sweep(10, 3_499)).toBe(0);
    expect(store.sweep(10, 3_500)).toBe(1);
  });

  it('keeps nothing of a request that only asked', () => {
    const store = storeOf(MINUTE);
    store.take('a', 0, 0);
    expect(store.size).toBe(0);
  });

  it('stays within its keys, and forgets those first that gain the least', () => {
    const store = storeOf(MINUTE, 10);
    store.take('worst', 60, 0);
    for (let i = 0; i < 1_000; i++) {
      store.take(`new ${i}`, 1, 0);
      expect(store.size).toBeLessThanOrEqual(10);
    }
    expect(store.take('worst', 1, 0).allowed).toBe(false);
    expect(store.take('new 999', 0, 0).remaining).toBe(59);
  });
});
