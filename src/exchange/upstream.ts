import type { Dispatcher } from 'undici';

import type { Exchange } from './exchange.js';

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
  readonly pool: ConnectionPool;
}

/** The sockets to one backend; kept over reloads while the backend and its `connection` stay the same. */
export interface ConnectionPool {
  /**
   * Hands a request to a connection: an idle one, else a new one, else it waits for one. False, and nothing
   * was done, when `max_pending` requests wait already. `fresh` asks for a new socket of its own.
   */
  dispatch(options: Dispatcher.DispatchOptions, handler: PooledHandler, fresh?: boolean): boolean;
  /** Takes a waiting request out of the queue; false when it does not wait. */
  cancel(handler: PooledHandler): boolean;
  /**
   * Ends idle sockets now and busy ones when their exchange ends. Exchanges that began on an older snapshot
   * may still dispatch afterwards; their sockets end with them.
   */
  close(): void;
}

/** undici's handler for one request; the pool tells it which connection carries it. */
export interface PooledHandler extends Dispatcher.DispatchHandler {
  /**
   * Header lines (name, value, …) that are valid already (RFC 9110 §5.5): the parser's own, or made of such. What
   * frames or addresses the request goes into the options' `headers` instead, where undici reads it.
   */
  readonly lines: readonly string[];
  connection: PooledConnection | null;
}

/** One connection as the handler that holds it sees it. */
export interface PooledConnection {
  /** Whether it has served a request before (the keep-alive race). */
  readonly reused: boolean;
  /** The error that ended its socket, if one did: a body that only the end of the connection delimits is not whole then. */
  readonly fault: Error | null;
  /** The request is over; whether the connection may serve the next one. Exactly once. */
  release(reusable: boolean): void;
  /** Drops a request that has not started (it still connects). */
  destroy(cause: Error): void;
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
   * The next backend for this exchange, or null when none may be tried; none of those in `tried` is tried again.
   * Allocates nothing.
   */
  pick(exchange: Exchange, tried: TriedBackends | null): Backend | null;
}

/** The backends an exchange has tried; absent until the first one failed, so the common case allocates nothing. */
export type TriedBackends = Set<Backend>;

/** The upstreams of the snapshot in force; health endpoints, metrics and the admin API ask it each time anew. */
export interface CurrentUpstreams {
  upstreams(): Iterable<Upstream>;
}

/** Nest token of the {@link CurrentUpstreams}. */
export const CURRENT_UPSTREAMS = Symbol('CurrentUpstreams');
