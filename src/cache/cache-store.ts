import type { GatewayConfig } from '../config/gateway.config.js';

/**
 * One stored answer. Plain data (numbers, texts, lists, one Buffer), never changed once it is stored, so that it can
 * cross a process. Times are milliseconds of the wall clock.
 */
export interface StoredResponse {
  /**
   * What the request's headers named by `Vary` were: name in lower case, normalised value or null for none, name,
   * value, …; empty for an answer that does not vary.
   */
  readonly vary: readonly (string | null)[];
  readonly status: number;
  readonly statusText: string;
  /** End-to-end header lines: name, value, name, value, …, as the client gets them, without `Age`. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** When its age was 0 (RFC 9111 §4.2.3). */
  readonly bornAt: number;
  /** How long from then on it is fresh, in milliseconds; 0 for what is only used after validation. */
  readonly freshMs: number;
  /** How long beyond it may be served while a new one is fetched (RFC 5861 §3), in milliseconds. */
  readonly staleWhileRevalidateMs: number;
  /** How long beyond it may be served when the upstream fails (RFC 5861 §4), in milliseconds. */
  readonly staleIfErrorMs: number;
  /** Never served without validation, fresh or not (`no-cache`). */
  readonly alwaysValidate: boolean;
  /** Never served stale, whatever the client would take (`must-revalidate`, `proxy-revalidate`, `s-maxage`). */
  readonly neverStale: boolean;
  /** Marked for everybody: requests with credentials may have it too (RFC 9111 §3.5). */
  readonly shared: boolean;
}

/** All variants of one primary key: what is put, read and evicted together. Never changed once it is stored. */
export interface StoredSet {
  /** Id of the route that stored it. */
  readonly route: string;
  /** Canonical path of the client's request, for clearing by path. */
  readonly path: string;
  /** Host, path and query that an unsafe request invalidates together, whatever else tells entries apart. */
  readonly group: string;
  /** The newest first; at least one. */
  readonly variants: readonly StoredResponse[];
  /** Size of the set with its key and lines, in bytes: what counts against `max_size`. */
  readonly bytes: number;
  /** From then on nothing in it can be served or validated: a store may forget it. */
  readonly usefulUntil: number;
}

/** Which sets are meant: those for which all that is given holds; `{}` means all. */
export interface StoredFilter {
  readonly route?: string;
  readonly path?: string;
  readonly group?: string;
}

/** By what a set is invalidated beside its key. */
export type StoredPlace = Pick<StoredSet, 'route' | 'group'>;

/** What a look-up saw. What is put on the strength of it is kept only while both are the same still. */
export interface Seen {
  /** Changed by whatever clears the place, or a part of the whole store. */
  readonly marks: string;
  /** Of what stands under the key: changed by each put. */
  readonly version: string;
}

export interface Found {
  readonly set: StoredSet | null;
  /** Null when the store could not tell: then nothing can be put. */
  readonly seen: Seen | null;
}

/**
 * Where answers are kept. A store in memory answers at once, one over a network with promises; the engine waits for
 * promises alone. A promise never rejects: a store that can't be reached holds nothing and takes nothing.
 */
export interface CacheStore {
  /** False while it is known that it can't be reached: nothing that is put now will be kept. */
  readonly available: boolean;
  get(key: string, place: StoredPlace): Found | Promise<Found>;
  /**
   * Takes the place of what stood there; false when that, or what was seen of its place, is not the same any more, or
   * the store can't be reached: then nothing is changed. A set that is too large is not kept, and what stood there is
   * gone.
   */
  put(key: string, set: StoredSet, seen: Seen): boolean | Promise<boolean>;
  delete(key: string): void | Promise<void>;
  /** Removes the sets that are meant and tells how many they were. */
  clear(filter: StoredFilter): number | Promise<number>;
}

/** Gives the routes of a document their store, and keeps what is stored over reloads. */
export interface CacheStores {
  /** Asked for each route that caches, when a snapshot is compiled. */
  storeFor(document: Readonly<GatewayConfig>): CacheStore;
}

/** Nest token of the {@link CacheStores}. */
export const CACHE_STORES = Symbol('CacheStores');
