import { describe, expect, it } from 'vitest';

import { CacheCounts } from '../cache-counts.js';
import { CONTRACT_MAX_ENTRY, cacheStoreContract, storedResponse, storedSet } from './cache-store.contract.js';
import { MemoryStore } from './memory-store.js';

const MB = 1024 ** 2;

function memoryStore(maxSize = 10 * MB, maxEntrySize = CONTRACT_MAX_ENTRY, counts = new CacheCounts()) {
  return new MemoryStore({ maxSize, maxEntrySize }, counts);
}

cacheStoreContract('memory', () => Promise.resolve(memoryStore()));

describe('the store in memory', () => {
  it('never holds more than its limit, keys and overhead counted', () => {
    const store = memoryStore(MB);
    for (let at = 0; at < 5_000; at++) {
      store.put(`${'k'.repeat(1_000)}${at}`, storedSet({ group: String(at), bytes: 10 }));
      expect(store.bytes).toBeLessThanOrEqual(MB);
    }
    expect(store.size).toBeLessThan(MB / 2_000);
    expect(store.size).toBeGreaterThan(200);
  });

  it('lets those go that were not used for longest, and counts them by route', () => {
    const counts = new CacheCounts();
    const store = memoryStore(10_000, 10_000, counts);
    counts.of('users', '/api/users');
    const put = (key: string): boolean => store.put(key, storedSet({ group: key, bytes: 1_500 }));
    for (const key of ['a', 'b', 'c']) put(key);
    store.get('a');
    put('d');
    expect(['a', 'b', 'c', 'd'].filter((key) => store.get(key).set)).toEqual(['a', 'c', 'd']);
    expect(counts.of('users', '/api/users').evictions).toBe(1);
    store.delete('a');
    store.clear({});
    expect(counts.of('users', '/api/users').evictions).toBe(1);
  });

  it('tells entries and bytes by route', () => {
    const store = memoryStore();
    store.put('a', storedSet());
    store.put('b', storedSet());
    store.put('c', storedSet({ route: 'orders', group: 'c' }));
    const routes = store.routes();
    expect(routes.get('users')!.entries).toBe(2);
    expect(routes.get('users')!.bytes + routes.get('orders')!.bytes).toBe(store.bytes);
    store.clear({});
    expect([store.size, store.bytes, store.routes().size]).toEqual([0, 0, 0]);
  });

  it('does not keep a large buffer alive for a small body', () => {
    const store = memoryStore();
    const large = Buffer.alloc(MB, 'x');
    store.put('a', storedSet({ variants: [storedResponse('', { body: large.subarray(5, 15) })] }));
    const { body } = store.get('a').set!.variants[0]!;
    expect(body.toString()).toBe('xxxxxxxxxx');
    expect(body.buffer.byteLength).toBe(10);
  });

  it('takes over from a larger one what was used last', () => {
    const old = memoryStore();
    for (let at = 0; at < 100; at++) old.put(String(at), storedSet({ group: String(at), bytes: 1_000 }));
    const next = memoryStore(50_000);
    next.takeFrom(old);
    expect(next.get('99').set).not.toBeNull();
    expect(next.get('0').set).toBeNull();
    expect(next.bytes).toBeLessThanOrEqual(50_000);
  });
});
