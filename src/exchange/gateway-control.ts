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
