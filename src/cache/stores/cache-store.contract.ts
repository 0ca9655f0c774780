import { describe, expect, it } from 'vitest';

import type { CacheStore, StoredResponse, StoredSet } from '../cache-store.js';

/** What a store that is tried is limited to. */
export const CONTRACT_MAX_ENTRY = 100_000;

export function storedResponse(body: string | Buffer, more: Partial<StoredResponse> = {}): StoredResponse {
  return {
    vary: [],
    status: 200,
    statusText: 'OK',
    headers: ['Content-Type', 'text/plain', 'X-Odd', 'caf\u00e9'],
    body: Buffer.from(body),
    bornAt: 1_700_000_000_000,
    freshMs: 60_000,
    staleWhileRevalidateMs: 0,
    staleIfErrorMs: 0,
    alwaysValidate: false,
    neverStale: false,
    shared: true,
    ...more,
  };
}

export function storedSet(more: Partial<StoredSet> = {}): StoredSet {
  const variants = more.variants ?? [storedResponse('hello')];
  return {
    route: 'users',
    path: '/api/users/1',
    group: 'example.com/api/users/1',
    variants,
    bytes: variants.reduce((sum, { body }) => sum + body.length + 200, 0),
    usefulUntil: Date.now() + 60_000,
    ...more,
  };
}

/** What stands under a key. */
export async function setIn(store: CacheStore, key: string): Promise<StoredSet | null> {
  return (await store.get(key, storedSet())).set;
}

/** Puts a set on the strength of a look-up just before; false when that could not tell anything. */
export async function putIn(store: CacheStore, key: string, set: StoredSet): Promise<boolean> {
  const { seen } = await store.get(key, set);
  return seen !== null && store.put(key, set, seen);
}

/** What every store must do. `open` gives an empty one. */
export function cacheStoreContract(name: string, open: () => Promise<CacheStore>): void {
  describe(`${name} as a cache store`, () => {
    keeping(open);
    clearing(open);
  });
}

type Open = () => Promise<CacheStore>;

function keeping(open: Open): void {
  it('holds nothing at first', async () => {
    const store = await open();
    expect(await setIn(store, 'a')).toBeNull();
    expect(await store.clear({})).toBe(0);
  });

  it('gives back what was put, byte for byte and key for key', async () => {
    const store = await open();
    const body = Buffer.from(Array.from({ length: 4_096 }, (_, at) => at % 256));
    const set = storedSet({
      variants: [
        storedResponse(body, { vary: ['accept', 'text/html', 'accept-language', null], status: 404 }),
        storedResponse('', { alwaysValidate: true, neverStale: true, freshMs: 0, staleIfErrorMs: 5 }),
        storedResponse('\u{1f600}'),
      ],
    });
    await putIn(store, 'a', set);
    const got = await setIn(store, 'a');
    expect(got).toEqual(set);
    expect(got!.variants[0]!.body.equals(body)).toBe(true);
  });

  it('tells keys apart, whatever is in them', async () => {
    const store = await open();
    const keys = ['a', 'A', 'a ', 'a\0', 'a\r\nb', '\u00e9', 'e\u0301', '*', 'x'.repeat(10_000), ''];
    for (const [at, key] of keys.entries()) {
      await putIn(store, key, storedSet({ variants: [storedResponse(String(at))] }));
    }
    for (const [at, key] of keys.entries()) {
      expect((await setIn(store, key))?.variants[0]!.body.toString()).toBe(String(at));
    }
  });

  it('replaces what stood there', async () => {
    const store = await open();
    await putIn(store, 'a', storedSet());
    await putIn(store, 'a', storedSet({ variants: [storedResponse('newer')] }));
    expect((await setIn(store, 'a'))!.variants.map(({ body }) => String(body))).toEqual(['newer']);
    expect(await store.clear({})).toBe(1);
  });

  it('deletes one', async () => {
    const store = await open();
    await putIn(store, 'a', storedSet());
    await putIn(store, 'b', storedSet());
    await store.delete('a');
    await store.delete('never there');
    expect(await setIn(store, 'a')).toBeNull();
    expect(await setIn(store, 'b')).not.toBeNull();
    expect(await store.clear({ route: 'users' })).toBe(1);
  });

  it('does not keep a set that is too large, nor what stood there', async () => {
    const store = await open();
    await putIn(store, 'a', storedSet());
    await putIn(store, 'a', storedSet({ bytes: CONTRACT_MAX_ENTRY + 1 }));
    expect(await setIn(store, 'a')).toBeNull();
    expect(await store.clear({})).toBe(0);
    await putIn(store, 'a', storedSet({ bytes: CONTRACT_MAX_ENTRY }));
    expect(await setIn(store, 'a')).not.toBeNull();
  });
}

function clearing(open: Open): void {
  it.each([
    ['all', {}, ['a', 'b', 'c', 'd']],
    ['a route', { route: 'users' }, ['a', 'b', 'd']],
    ['a path', { path: '/1' }, ['a', 'c', 'd']],
    ['a group', { group: 'h/1' }, ['a', 'c']],
    ['a path of a route', { route: 'users', path: '/1' }, ['a', 'd']],
    ['a group of a route', { route: 'orders', group: 'h/1' }, ['c']],
    ['all three', { route: 'users', path: '/1', group: 'h/1' }, ['a']],
    ['an unknown route', { route: 'none' }, []],
    ['a path that is a part of another', { path: '/' }, []],
    ['an unknown group', { group: 'none' }, []],
    ['what does not go together', { route: 'orders', path: '/2' }, []],
  ])('clears %s, tells how many, and leaves the rest', async (_title, filter, gone) => {
    const store = await open();
    const sets: Record<string, Partial<StoredSet>> = {
      a: { route: 'users', path: '/1', group: 'h/1' },
      b: { route: 'users', path: '/2', group: 'h/2' },
      c: { route: 'orders', path: '/1', group: 'h/1' },
      d: { route: 'users', path: '/1', group: 'g/1' },
    };
    for (const [key, set] of Object.entries(sets)) await putIn(store, key, storedSet(set));
    expect(await store.clear(filter)).toBe(gone.length);
    const left = await Promise.all(Object.keys(sets).map(async (key) => (await setIn(store, key)) && key));
    expect(left.filter((key) => key !== null)).toEqual(
      Object.keys(sets).filter((key) => !gone.includes(key)),
    );
    expect(await store.clear(filter)).toBe(0);
  });

  it('takes new entries after a clear', async () => {
    const store = await open();
    for (const filter of [{}, { route: 'users' }, { group: 'example.com/api/users/1' }]) {
      await putIn(store, 'a', storedSet());
      await putIn(store, 'b', storedSet());
      expect(await store.clear(filter)).toBe(2);
      await putIn(store, 'a', storedSet());
      expect(await setIn(store, 'a')).not.toBeNull();
      expect(await setIn(store, 'b')).toBeNull();
      expect(await store.clear(filter)).toBe(1);
    }
  });

  it('keeps count when an entry moves to another route', async () => {
    const store = await open();
    await putIn(store, 'a', storedSet());
    await putIn(store, 'a', storedSet({ route: 'orders', group: 'other' }));
    expect(await setIn(store, 'a')).not.toBeNull();
    expect(await store.clear({ route: 'orders' })).toBe(1);
    expect(await setIn(store, 'a')).toBeNull();
  });
}
