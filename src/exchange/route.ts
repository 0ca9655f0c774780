import type { RouteConfig } from '../config/route.config.js';
import type { Exchange } from './exchange.js';
import type { ResponseSink } from './response.js';
import type { Upstream } from './upstream.js';

/** A compiled route: part of a snapshot, immutable, replaced whole. */
export interface Route {
  readonly id: string;
  /** The configured path, as metrics and logs show it. */
  readonly path: string;
  /** What the operator wrote, groups and defaults applied. */
  readonly config: Readonly<RouteConfig>;
  readonly upstream: Upstream;
  /** Takes a matched exchange to its end. */
  readonly handler: RouteHandler;
}

/** What is mounted for a route: its own controller with its compiled chain. */
export interface RouteHandler {
  /** Never throws: whatever happens becomes an answer. */
  handle(exchange: Exchange, sink: ResponseSink): void;
}
