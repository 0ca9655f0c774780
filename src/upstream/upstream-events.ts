/** What happens to upstreams by what exchanges show; logged once each (docs/logs.md). `backend` is its url. */
export interface UpstreamEvents {
  circuitOpened(upstream: string, backend: string): void;
  circuitHalfOpen(upstream: string, backend: string): void;
  circuitClosed(upstream: string, backend: string): void;
}

/** Nest token of the {@link UpstreamEvents}. */
export const UPSTREAM_EVENTS = Symbol('UpstreamEvents');
