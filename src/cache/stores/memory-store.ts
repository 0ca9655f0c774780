import { LRUCache } from 'lru-cache';

import type { CacheCounts } from '../cache-counts.js';
import type { CacheStore, Found, Seen, StoredFilter, StoredResponse, StoredSet } from '../cache-store.js';
import { isMeant, StoredIndex } from './stored-index.js';

/** What V8 keeps for an entry beside its texts and its body: objects, list nodes, places in maps (measured). */
const ENTRY_OVERHEAD = 1_024;
/** The same for each further variant and its header lines. */
const VARIANT_OVERHEAD = 512;

/** Look-up and put are one step where nothing can wait, and what is under way is told of invalidations (`Fetches`). */
const SEEN: Seen = { marks: '', version: '' };
const NOTHING: Found = { set: null, seen: SEEN };

export interface MemoryStoreLimits {
  /** Bytes of all entries together. */
  readonly maxSize: number;
  /** Bytes of one set. */
  readonly maxEntrySize: number;
}

/** Keeps answers in this process; those not used for longest make room. */
export class MemoryStore implements CacheStore {
  readonly available = true;
  readonly #index = new StoredIndex();
  readonly #entries: LRUCache<string, StoredSet>;

  constructor(
    readonly limits: MemoryStoreLimits,
    private readonly counts: CacheCounts,
  ) {
    this.#entries = new LRUCache<string, StoredSet>({
      maxSize: Math.max(1, limits.maxSize),
      sizeCalculation: (set, key) => weight(key, set),
      dispose: (set, key, reason) => this.#gone(key, set, reason),
    });
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Bytes that count against the limit. */
  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  /** Entries and bytes by route id. */
  routes(): Map<string, { readonly entries: number; readonly bytes: number }> {
    return new Map(
      Array.from(this.#index.routes, ([id, { keys, bytes }]) => [id, { entries: keys.size, bytes }]),
    );
  }

  get(key: string): Found {
    const set = this.#entries.get(key);
    return set === undefined ? NOTHING : { set, seen: SEEN };
  }

  put(key: string, set: StoredSet): boolean {
    const { maxSize, maxEntrySize } = this.limits;
    this.#entries.delete(key);
    const bytes = weight(key, set);
    if (set.bytes > maxEntrySize || bytes > maxSize) return true;
    const kept = withOwnBodies(set);
    this.#index.add(key, kept, bytes);
    this.#entries.set(key, kept);
    return true;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(filter: StoredFilter): number {
    let cleared = 0;
    for (const key of this.#index.candidates(filter) ?? [...this.#entries.keys()]) {
      const set = this.#entries.peek(key);
      if (set && isMeant(set, filter) && this.#entries.delete(key)) cleared++;
    }
    return cleared;
  }

  /** Takes over what another one holds, as far as there is room. */
  takeFrom(other: MemoryStore): void {
    for (const [key, set] of [...other.#entries.entries()].toReversed()) this.put(key, set);
  }

  #gone(key: string, set: StoredSet, reason: LRUCache.DisposeReason): void {
    this.#index.remove(key, set, weight(key, set));
    if (reason === 'evict') this.counts.evicted(set.route);
  }
}

function weight(key: string, { bytes, variants, group, path }: StoredSet): number {
  const texts = key.length + group.length + path.length;
  return bytes + texts + ENTRY_OVERHEAD + (variants.length - 1) * VARIANT_OVERHEAD;
}

/** A body that is a slice of a larger buffer would keep all of that alive, uncounted. */
function withOwnBodies(set: StoredSet): StoredSet {
  if (set.variants.every(({ body }) => isOwn(body))) return set;
  return { ...set, variants: set.variants.map(withOwnBody) };
}

function withOwnBody(response: StoredResponse): StoredResponse {
  if (isOwn(response.body)) return response;
  const body = Buffer.allocUnsafeSlow(response.body.length);
  response.body.copy(body);
  return { ...response, body };
}

function isOwn(body: Buffer): boolean {
  return body.buffer.byteLength === body.length;
}
