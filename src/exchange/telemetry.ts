/**
 * The small interfaces through which the rooms tell the metrics what only they know. Those that are pulled
 * are read at a scrape alone and cost a request nothing.
 */

/** Told by the listener of each socket that opens and closes, and of TLS handshakes that came to nothing. */
export interface ConnectionGauge {
  opened(): void;
  closed(): void;
  handshakeFailed(): void;
}

/** Nest token of the {@link ConnectionGauge}; provided whether metrics are on or off. */
export const CONNECTION_GAUGE = Symbol('ConnectionGauge');

/** Requests refused by a limit since the start; `path` is the route's configured path. */
export interface LimitedCounts {
  limitedCounts(): Iterable<LimitedCount>;
}

export interface LimitedCount {
  readonly path: string;
  readonly limit: string;
  readonly count: number;
}

/** Nest token of the {@link LimitedCounts}. */
export const LIMITED_COUNTS = Symbol('LimitedCounts');

/** Whether limits that are kept elsewhere can be judged there. */
export interface LimitStoreState {
  /** Null when no limit is kept elsewhere. */
  limitStoreUp(): boolean | null;
}

/** Nest token of the {@link LimitStoreState}. */
export const LIMIT_STORE_STATE = Symbol('LimitStoreState');

/** Open WebSockets by the route's configured path. */
export interface WebSocketCounts {
  webSocketCounts(): Iterable<{ readonly path: string; readonly open: number }>;
}

/** Nest token of the {@link WebSocketCounts}. */
export const WEBSOCKET_COUNTS = Symbol('WebSocketCounts');

/** Retries begun since the start; `reason` is the reason code of the failed try, or the status that was not wanted. */
export interface RetriedCounts {
  retriedCounts(): Iterable<{ readonly path: string; readonly reason: string; readonly count: number }>;
}

/** Nest token of the {@link RetriedCounts}. */
export const RETRIED_COUNTS = Symbol('RetriedCounts');

/**
 * What became of a copy of a request: it was answered, whatever the status; it broke off or took too long; or it was
 * handed to no backend.
 */
export type MirrorResult = 'sent' | 'failed' | 'dropped';

/** Copies since the start, by the route's configured path. */
export interface MirroredCounts {
  mirroredCounts(): Iterable<{
    readonly path: string;
    readonly result: MirrorResult;
    readonly count: number;
  }>;
}

/** Nest token of the {@link MirroredCounts}. */
export const MIRRORED_COUNTS = Symbol('MirroredCounts');

/** What became of requests on routes that cache, since the start. */
export interface CachedCounts {
  cachedCounts(): Iterable<CachedCount>;
  /** Bytes that entries take in this process; null when they are kept elsewhere, or nothing caches. */
  cachedBytes(): number | null;
}

export interface CachedCount {
  readonly path: string;
  readonly hits: number;
  readonly misses: number;
  readonly stores: number;
  readonly evictions: number;
  readonly invalidations: number;
}

/** Nest token of the {@link CachedCounts}. */
export const CACHED_COUNTS = Symbol('CachedCounts');

/** What the configuration in force is. */
export interface ConfigState {
  /** Counts up from 1 with every document applied. */
  readonly configVersion: number;
  readonly lastReloadSuccessful: boolean;
}

/** Nest token of the {@link ConfigState}. */
export const CONFIG_STATE = Symbol('ConfigState');
