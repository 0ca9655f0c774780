import type { Exchange } from './exchange.js';
import type { ResponseSink } from './response.js';

/** One `url` of an upstream, as the path sees it. */
export interface Backend {
  readonly id: string;
  /** The url as configured, for logs. */
  readonly url: string;
  readonly upstream: string;
  readonly weight: number;
  readonly origin: URL;
  /** Path in front of every request's path; no trailing slash; empty for none. */
  readonly basePath: string;
  readonly state: BackendState;
}

/** What is known of a backend; keyed by upstream name and backend id, it lives across reloads. */
export interface BackendState {
  healthy: boolean;
  /** Exchanges handed to it that have not ended. */
  inFlight: number;
}

/** A named pool of backends. */
export interface Upstream {
  readonly name: string;
  readonly backends: readonly Backend[];
  readonly balancing: string;
  readonly critical: boolean;
  /**
   * The next backend for this exchange, or null when none may be tried. Backends whose index bit is set in
   * `tried` were tried already. Allocates nothing.
   */
  pick(exchange: Exchange, tried: TriedBackends | null): Backend | null;
}

/** The backends an exchange has tried; absent until the first one failed, so the common case allocates nothing. */
export type TriedBackends = Set<Backend>;

/** Sends exchanges upstream; the end of every chain. */
export interface Forwarder {
  forward(exchange: Exchange, sink: ResponseSink): void;
}
