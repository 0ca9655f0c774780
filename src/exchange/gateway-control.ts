/**
 * The one way from the admin application into the gateway. Arguments and results are plain data that could
 * cross a thread; everything is asynchronous.
 */
export interface GatewayControl {
  status(): Promise<GatewayStatus>;
  routes(): Promise<RouteStatus[]>;
  upstreams(): Promise<UpstreamStatus[]>;
  /** Takes a backend out of service for new exchanges, or puts it back. */
  setBackendState(change: BackendChange): Promise<BackendChanged>;
  cacheStats(): Promise<CacheStats>;
  clearCache(clear: CacheClear): Promise<CacheCleared>;
}

/** Nest token of the {@link GatewayControl}. */
export const GATEWAY_CONTROL = Symbol('GatewayControl');

export interface GatewayStatus {
  readonly version: string;
  readonly config_version: number;
  readonly file: string;
  readonly ready: boolean;
  readonly draining: boolean;
  readonly in_flight: number;
}

export interface RouteStatus {
  readonly id: string;
  readonly path: string;
  readonly methods: readonly string[] | null;
  readonly hosts: readonly string[];
  /** Of a split route the first one. */
  readonly upstream: string;
  /** All upstreams of a split route, in the order of its entries; else null. */
  readonly split: readonly string[] | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface UpstreamStatus {
  readonly name: string;
  readonly balancing: string;
  readonly backends: readonly BackendStatus[];
}

/** `draining`: no new exchanges, those under way are finished. */
export type BackendStateName = 'active' | 'draining';

export interface BackendChange {
  readonly upstream: string;
  readonly backend: string;
  readonly state: BackendStateName;
}

/** The backend as it is now, or which part of the change names nothing, and what it might have named. */
export type BackendChanged =
  | { readonly backend: BackendStatus }
  | { readonly unknown: 'upstream' | 'backend'; readonly known: readonly string[] };

export interface BackendStatus {
  readonly id: string;
  readonly url: string;
  readonly weight: number;
  readonly healthy: boolean;
  readonly state: BackendStateName;
  readonly in_flight: number;
  readonly circuit: 'closed' | 'open' | 'half-open';
}

/** Since the start. */
interface CacheNumbers {
  /** Null where it can't be told: in Redis, which other gateways use too. */
  readonly entries: number | null;
  readonly bytes: number | null;
  readonly hits: number;
  readonly misses: number;
  readonly stores: number;
  readonly evictions: number;
  readonly invalidations: number;
}

export interface RouteCacheStats extends CacheNumbers {
  readonly id: string;
}

export interface CacheStats extends CacheNumbers {
  /** Those that have cached. */
  readonly routes: readonly RouteCacheStats[];
}

/** What to clear: the entries for which all that is given holds; nothing given means all. */
export interface CacheClear {
  /** Id of a route. */
  readonly route?: string;
  /** Canonical path of clients' requests, without a query. */
  readonly path?: string;
}

/** How many entries are gone, or the ids that might have been meant by one that no route has. */
export type CacheCleared = { readonly cleared: number } | { readonly known: readonly string[] };

/** The cache as the gateway's control asks it. */
export interface CacheControl {
  stats(): CacheStats;
  clear(clear: CacheClear): Promise<number>;
}

/** Nest token of the {@link CacheControl}. */
export const CACHE_CONTROL = Symbol('CacheControl');
