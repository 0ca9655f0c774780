import type { IncomingHttpHeaders } from 'node:http';

import type { GatewayConfig } from '../config/gateway.config.js';
import type { RouteConfig } from '../config/route.config.js';
import type { Exchange } from './exchange.js';
import type { Route, RouteHandler } from './route.js';
import type { Upstream, UpstreamChoice } from './upstream.js';

/** Everything compiled from one document: immutable, replaced whole; the addresses that discovery finds alone come and go. */
export interface Snapshot {
  /** Counts from 1; one more with every document applied. */
  readonly version: number;
  readonly config: Readonly<GatewayConfig>;
  readonly routes: readonly Route[];
  readonly upstreams: ReadonlyMap<string, Upstream>;
  readonly table: RouteMatcher;
}

/** Where the path finds the snapshot in force. */
export interface Snapshots {
  readonly current: Snapshot;
}

/** Nest token of the {@link Snapshots}. */
export const SNAPSHOTS = Symbol('Snapshots');

/** What a request is matched by. */
export interface MatchRequest {
  /** Case-sensitive (RFC 9110 §9.1). */
  readonly method: string;
  /** Canonical path. */
  readonly path: string;
  /** Lower case, without port; null when there is none. */
  readonly host: string | null;
  /** Original bytes with the question mark; empty for none. */
  readonly query: string;
  /** Names in lower case, as node:http gives them. Read only when a route has header conditions. */
  readonly headers: IncomingHttpHeaders;
}

/** The route that takes a request, and the decoded values of its path parameters. */
export interface RouteMatch {
  readonly route: Route;
  /** Without a prototype: a parameter may have any name. */
  readonly params: Readonly<Record<string, string>>;
}

export interface RouteMatcher {
  match(request: MatchRequest): RouteMatch | null;
  /** The route for a CORS preflight: by path, host and the method it asks for alone. */
  matchPreflight(path: string, host: string | null, requestedMethod: string): RouteMatch | null;
  /** Methods of all routes that match but for the method, HEAD included; empty when none does. */
  allowedMethods(request: MatchRequest): readonly string[];
}

/** Mounts a route: makes its controller with its compiled chain. */
export interface RouteMounter {
  mount(parts: RouteParts): RouteHandler;
}

export interface RouteParts {
  readonly config: Readonly<RouteConfig>;
  /** The document that the route comes from. */
  readonly document: Readonly<GatewayConfig>;
  readonly choice: UpstreamChoice;
  /** Where copies go; null for a route without a mirror. */
  readonly mirror: Upstream | null;
  /** The path and query for the upstream, without a backend's base path; null when a rewrite made none. */
  readonly target: (exchange: Exchange) => string | null;
}

/** Nest token of the {@link RouteMounter}. */
export const ROUTE_MOUNTER = Symbol('RouteMounter');

/** Compiles the document's upstreams beside the ones in force; nothing changes until `commit`. */
export interface UpstreamCompiler {
  compile(config: Readonly<GatewayConfig>): CompiledUpstreams;
  /** The listener is told when an upstream in force has other backends than before, without a new snapshot. */
  watch(listener: () => void): void;
}

export interface CompiledUpstreams {
  readonly upstreams: ReadonlyMap<string, Upstream>;
  /** Resolves when their backends are found, or when looking for them took too long. Never rejects. */
  ready(): Promise<void>;
  /** Which of these upstreams each exchange of a route goes to. */
  choiceFor(route: Readonly<RouteConfig>): UpstreamChoice;
  /** The new snapshot is in force: retires what no snapshot uses any more. */
  commit(): void;
  /** The new snapshot was refused: forgets what was made for it. */
  discard(): void;
}

/** Nest token of the {@link UpstreamCompiler}. */
export const UPSTREAM_COMPILER = Symbol('UpstreamCompiler');

/** Makes ready, before a document's routes are mounted, what takes a promise. Rejects when the document can't be applied. */
export interface SnapshotPreparer {
  prepare(config: Readonly<GatewayConfig>): Promise<void>;
}

/** Nest token of the {@link SnapshotPreparer}. */
export const SNAPSHOT_PREPARER = Symbol('SnapshotPreparer');

/** Told when a snapshot came into force (health probes, limiter and metric registries). */
export interface SnapshotListener {
  /** The same snapshot comes again when discovery has changed the backends of its upstreams. */
  applied(snapshot: Snapshot): void;
}
