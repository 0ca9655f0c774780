import type { DocumentConfig } from './document.config.js';
import type { Report } from './report.js';
import type { ExtensionUse, RouteConfig } from './route.config.js';
import type { Trace } from './trace.js';
import type { UpstreamConfig } from './upstream.config.js';

/** The team's own guards and interceptors, as far as a document is judged by them. */
export interface Registered {
  /** The names that routes may use. */
  readonly guards: readonly string[];
  readonly interceptors: readonly string[];
  /** The modules they were loaded from: what `extensions` must still say, as a restart alone loads others. */
  readonly extensions?: readonly string[];
  /** What is wrong with the options of one use of a known name. Default: options are not judged. */
  judge?(key: 'guards' | 'interceptors', use: Readonly<ExtensionUse>): readonly OptionProblem[];
}

export interface OptionProblem {
  /** Keys from the options' map down to what is wrong. */
  readonly path: readonly string[];
  /** What is wrong, what was expected; without the key. */
  readonly message: string;
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
