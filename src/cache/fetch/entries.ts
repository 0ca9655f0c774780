import type { Asked } from '../asked.js';
import type { CacheStore, Found, StoredResponse, StoredSet } from '../cache-store.js';
import type { RouteCacheCounts } from '../cache-counts.js';
import type { SetFacts } from '../rules/stored.js';
import { withoutVariant, withVariant } from '../rules/stored.js';

/** A change of the set under one key. */
interface Change {
  readonly about: SetFacts;
  /** What must not have been cleared since; null for what is there now. */
  readonly marks: string | null;
  /** What is to stand there; null for nothing. */
  readonly of: (before: StoredSet | null) => StoredSet | null;
  /** It is made, or can't be made any more. */
  readonly over: (made: boolean) => void;
}

/**
 * Puts single answers into the store, where all variants of a key stand together. What others change between the
 * look-up and the put is looked up once more.
 */
export class Entries {
  constructor(
    readonly store: CacheStore,
    readonly counts: RouteCacheCounts,
  ) {}

  /** Nothing is stored that was cleared since it was asked for. @param from what it was made of, and replaces too */
  put({ about, seen }: Asked, stored: StoredResponse, from = stored): void {
    if (seen === null || !this.store.available) return;
    this.#change({
      about,
      marks: seen.marks,
      of: (before) => withVariant(before, stored, about, from),
      over: (made) => void (made && this.counts.stores++),
    });
  }

  remove({ about }: Asked, stored: StoredResponse): void {
    this.#change({
      about,
      marks: null,
      of: (before) => before && withoutVariant(before, stored, about),
      // It must go; that the others go with it harms nobody.
      over: (made) => void (made || this.store.delete(about.key)),
    });
  }

  #change(change: Change, isLast = false): void {
    const { key } = change.about;
    const found = this.store.get(key, change.about);
    if (found instanceof Promise) void found.then((late) => this.#write(change, late, isLast));
    else this.#write(change, found, isLast);
  }

  #write(change: Change, { set, seen }: Found, isLast: boolean): void {
    const marks = change.marks ?? seen?.marks;
    if (seen === null || seen.marks !== marks) return change.over(false);
    const next = change.of(set);
    if (next === null) return change.over(false);
    const made = this.store.put(change.about.key, next, seen);
    if (made instanceof Promise) void made.then((late) => this.#written(change, late, isLast));
    else this.#written(change, made, isLast);
  }

  #written(change: Change, made: boolean, isLast: boolean): void {
    if (made || isLast) change.over(made);
    else this.#change(change, true);
  }
}
