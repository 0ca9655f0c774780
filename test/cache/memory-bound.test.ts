import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { describe, expect, it } from 'vitest';

import { CacheCounts } from '../../src/cache/cache-counts.js';
import { MemoryStore } from '../../src/cache/stores/memory-store.js';

const MB = 1024 ** 2;
const LIMIT = 64 * MB;
const KEYS = Number(process.env['CACHE_KEYS'] ?? 2_000_000);
const PARTS = 20;

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** As the engine stores a small answer. */
function put(store: MemoryStore, at: number): void {
  const path = `/api/items/${at}`;
  const body = Buffer.from(`{"id":${at}}`);
  const headers = [
    'Content-Type',
    'application/json',
    'Date',
    'Mon, 30 Nov 2026 10:00:00 GMT',
    'ETag',
    `"${at}"`,
  ];
  store.put(`items\nGET\nexample.com\n${path}`, {
    route: 'items',
    path,
    group: `example.com\n${path}`,
    variants: [
      {
        vary: [],
        status: 200,
        statusText: 'OK',
        headers,
        body,
        bornAt: at,
        freshMs: 60_000,
        staleWhileRevalidateMs: 0,
        staleIfErrorMs: 0,
        alwaysValidate: false,
        neverStale: false,
        shared: true,
      },
    ],
    bytes: body.length + headers.join('').length + path.length * 2 + 40,
    usefulUntil: at + 60_000,
  });
}

function used(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe('the store in memory under many distinct keys', () => {
  it('stays within 64 MB, and so does what the process keeps for it', { timeout: 300_000 }, () => {
    const counts = new CacheCounts();
    counts.of('items', '/api/items');
    const store = new MemoryStore({ maxSize: LIMIT, maxEntrySize: MB }, counts);
    const before = used();
    const kept: number[] = [];
    const resident: number[] = [];
    for (let part = 0; part < PARTS; part++) {
      for (let at = 0; at < KEYS / PARTS; at++) put(store, part * (KEYS / PARTS) + at);
      kept.push(used() - before);
      resident.push(process.memoryUsage.rss());
    }
    if (process.env['CACHE_KEYS']) {
      const mb = (bytes: number): number => Math.round(bytes / MB);
      console.log({ entries: store.size, kept: kept.map(mb), resident: resident.map(mb) });
    }
    expect(store.bytes).toBeLessThanOrEqual(LIMIT);
    expect(store.size + counts.of('items', '/api/items').evictions).toBe(KEYS);
    // Full from the first part on; what is counted for an entry covers what it takes.
    expect(Math.max(...kept)).toBeLessThan(LIMIT);
    expect(kept.at(-1)! - kept[0]!).toBeLessThan(8 * MB);
    expect(Math.max(...resident.slice(5)) - resident[4]!).toBeLessThan(64 * MB);
  });
});
