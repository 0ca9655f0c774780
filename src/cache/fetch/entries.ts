import type { Asked } from '../asked.js';
import type { CacheStore, StoredResponse, StoredSet } from '../cache-store.js';
import type { RouteCacheCounts } from '../cache-counts.js';
import { withoutVariant, withVariant } from '../rules/stored.js';

/** Puts single answers into the store, where all variants of a key stand together. */
export class Entries {
  constructor(
    readonly store: CacheStore,
    readonly counts: RouteCacheCounts,
  ) {}

  /** @param from what it was made of, which it takes the place of too */
  put({ about }: Asked, stored: StoredResponse, from = stored): void {
    if (this.store.available) this.counts.stores++;
    this.#change(about.key, (before) => withVariant(before, stored, about, from));
  }

  remove({ about }: Asked, stored: StoredResponse): void {
    this.#change(about.key, (before) => before && withoutVariant(before, stored, about));
  }

  #change(key: string, change: (before: StoredSet | null) => StoredSet | null): void {
    const before = this.store.get(key);
    if (before instanceof Promise) void before.then((set) => this.#write(key, change(set)));
    else this.#write(key, change(before));
  }

  #write(key: string, set: StoredSet | null): void {
    void (set === null ? this.store.delete(key) : this.store.put(key, set));
  }
}
