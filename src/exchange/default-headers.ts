import type { GatewayConfig } from '../config/gateway.config.js';
import type { RouteConfig } from '../config/route.config.js';

/** Header lines for answers that don't have them already; compiled, immutable. */
export interface DefaultHeaders {
  /**
   * Adds what is missing to `headers`: name, value, name, value, …
   *
   * @param secure the client's connection is encrypted
   * @param own the answer is the gateway's own page and not an upstream's
   */
  complete(headers: string[], secure: boolean, own: boolean): void;
}

/** Compiles the {@link DefaultHeaders}; null where there are none. */
export interface DefaultHeadersCompiler {
  forRoute(route: Readonly<RouteConfig>): DefaultHeaders | null;
  /** For answers that belong to no route. */
  forDocument(document: Readonly<GatewayConfig>): DefaultHeaders | null;
}

/** Nest token of the {@link DefaultHeadersCompiler}. */
export const DEFAULT_HEADERS = Symbol('DefaultHeaders');
