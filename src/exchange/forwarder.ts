import type { GatewayConfig } from '../config/gateway.config.js';
import type { RouteConfig } from '../config/route.config.js';
import type { Exchange } from './exchange.js';
import type { ResponseSink } from './response.js';

/** Carries an exchange on towards its upstream: the end of the path, or a stage in front of it. */
export interface Forwarder {
  /** May throw a Refusal, but only before anything was handed to the sink. */
  forward(exchange: Exchange, sink: ResponseSink): void;
}

/** A stage between the guards and the upstream; made for the routes that use it alone. */
export interface ForwarderFactory {
  /** The stage's name, as the pipeline lists it. */
  readonly stage: string;
  /** Asked once per route when a snapshot is compiled; undefined for a route that does not use the stage. */
  wrap(
    route: Readonly<RouteConfig>,
    document: Readonly<GatewayConfig>,
    next: Forwarder,
    tools: RouteTools,
  ): Forwarder | undefined;
}

/** Nest token of the forwarder factories in the order of the path, the one next to the client first (`pipeline.ts`). */
export const FORWARD_STAGES = Symbol('ForwardStages');

/** What the stages of one route have of the forwarder at the end. */
export interface RouteTools {
  /**
   * What the upstream will be sent; made at the first call, the same object afterwards. Stages edit it in place.
   * Throws a Refusal for a target that can't be made.
   */
  outgoing(exchange: Exchange): OutgoingRequest;
  /**
   * Reads the request's body whole, within the route's `max_body_size` and the client's time, and puts it into
   * `exchange.body`. Then calls `done`, at once where there is no body. What goes wrong is answered through the sink.
   */
  collect(exchange: Exchange, sink: ResponseSink, done: () => void): void;
}

/** The request on its way to the upstream, but for the backend's own base path and what frames it. */
export interface OutgoingRequest {
  /** Path and query. */
  target: string;
  /** Name, value, name, value, …, valid (RFC 9110 §5.5), in bytes as `latin1` text. */
  lines: string[];
  /** The edits of its route were done: an interceptor may send an exchange twice. */
  edited?: boolean;
}
