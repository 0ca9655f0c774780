import { beforeEach, describe, expect, it } from 'vitest';

import type { Asked } from '../asked.js';
import { CacheCounts, type RouteCacheCounts } from '../cache-counts.js';
import type { CacheStore, Found, Seen, StoredSet } from '../cache-store.js';
import { storedWith } from '../rules/rules.fixture.js';
import { Entries } from './entries.js';

/** Answers late, and refuses what rests on another version or other marks than its own. */
class VersionedStore implements CacheStore {
  available = true;
  set: StoredSet | null = null;
  version = 0;
  marks = 'm';
  /** Told before each put. */
  meanwhile: (() => void)[] = [];
  deleted = 0;

  async get(): Promise<Found> {
    return { set: this.set, seen: { marks: this.marks, version: String(this.version) } };
  }
  async put(_key: string, set: StoredSet, seen: Seen): Promise<boolean> {
    this.meanwhile.shift()?.();
    if (seen.version !== String(this.version) || seen.marks !== this.marks) return false;
    this.version++;
    this.set = set;
    return true;
  }
  async delete(): Promise<void> {
    this.deleted++;
    this.set = null;
  }
  async clear(): Promise<number> {
    return 0;
  }
}

const about = { key: 'k', route: 'r', path: '/a', group: 'h/a' };
const asked = { about, seen: { marks: 'm', version: '0' } } as Asked;
const variant = (name: string) => storedWith({ vary: ['x', name] });
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('entries of a store that others write too', () => {
  let store: VersionedStore;
  let counts: RouteCacheCounts;
  let entries: Entries;
  const names = () => store.set?.variants.map(({ vary }) => vary[1]).toSorted();

  beforeEach(() => {
    store = new VersionedStore();
    counts = new CacheCounts().of('r', '/');
    entries = new Entries(store, counts);
  });

  it('keep both of two variants that are stored at once', async () => {
    entries.put(asked, variant('a'));
    entries.put(asked, variant('b'));
    await turn();
    expect([names(), counts.stores]).toEqual([['a', 'b'], 2]);
  });

  it('are not stored when they were cleared since they were asked for', async () => {
    store.marks = 'other';
    entries.put(asked, variant('a'));
    store.marks = 'm';
    await turn();
    // The look-up saw `other`; below it is cleared between look-up and put.
    store.meanwhile = [() => (store.marks = 'other')];
    entries.put(asked, variant('b'));
    await turn();
    expect([store.set, counts.stores]).toEqual([null, 0]);
  });

  it('are tried once more, and not without end', async () => {
    const other = () => void store.version++;
    store.meanwhile = [other];
    entries.put(asked, variant('a'));
    await turn();
    expect(names()).toEqual(['a']);
    store.meanwhile = [other, other];
    entries.put(asked, variant('b'));
    await turn();
    expect([names(), counts.stores, store.meanwhile.length]).toEqual([['a'], 1, 0]);
  });

  it('go all when one of them that must go can not be taken out alone', async () => {
    entries.put(asked, variant('a'));
    entries.put(asked, variant('b'));
    await turn();
    store.meanwhile = [() => void store.version++, () => void store.version++];
    entries.remove(asked, variant('a'));
    await turn();
    expect([store.set, store.deleted]).toEqual([null, 1]);
  });

  it('are not stored where the look-up told nothing', async () => {
    entries.put({ ...asked, seen: null }, variant('a'));
    await turn();
    expect(store.set).toBeNull();
  });
});
