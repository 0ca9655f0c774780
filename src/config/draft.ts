import type { DocumentConfig } from './document.config.js';
import type { Report } from './report.js';
import type { RouteConfig } from './route.config.js';
import type { Trace } from './trace.js';
import type { UpstreamConfig } from './upstream.config.js';

/** Names under which the team's own guards and interceptors are registered. */
export interface Registered {
  readonly guards: readonly string[];
  readonly interceptors: readonly string[];
}

/** A document on its way from what was written to what is handed on. */
export interface Draft {
  readonly document: DocumentConfig;
  /** All routes in the order of the document, those of groups among them. */
  readonly routes: RouteConfig[];
  /** Declared ones, and those written inside routes. */
  readonly upstreams: Record<string, UpstreamConfig>;
  readonly report: Report;
  readonly trace: Trace;
  /** Undefined: names of guards and interceptors are not judged. */
  readonly registered: Registered | undefined;
}
