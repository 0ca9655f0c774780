/**
 * The one way from the admin application into the gateway. Arguments and results are plain data that could
 * cross a thread; everything is asynchronous.
 */
export interface GatewayControl {
  status(): Promise<GatewayStatus>;
  routes(): Promise<RouteStatus[]>;
  upstreams(): Promise<UpstreamStatus[]>;
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

export interface BackendStatus {
  readonly id: string;
  readonly url: string;
  readonly weight: number;
  readonly healthy: boolean;
  readonly state: 'active' | 'draining';
  readonly in_flight: number;
  readonly circuit: 'closed' | 'open' | 'half-open';
}
