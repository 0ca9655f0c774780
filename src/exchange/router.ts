import type { Exchange } from './exchange.js';

/** A request target, split, checked and normalised; every string is what the parser gave (`latin1` text). */
export interface CanonicalTarget {
  /** For matching, guards and limits; starts with `/`. */
  readonly path: string;
  /** The path's bytes as the client sent them; starts with `/`. */
  readonly rawPath: string;
  /** Empty, or `?` and the query's bytes as the client sent them. */
  readonly query: string;
  /** Host and port of an absolute target, as sent: it counts as the Host (RFC 9112 §3.2.2); else null. */
  readonly authority: string | null;
  /** `rawPath` and `query` together: the target in origin form. */
  readonly originForm: string;
}

/** Finds what an exchange is for. */
export interface Router {
  /**
   * Fills `target`, `path`, `route` and `params` from the exchange's head. False when the request is for one of the gateway's own
   * endpoints. Throws a Refusal (`bad_request`, `route_not_found`, `method_not_allowed`).
   */
  route(exchange: Exchange): boolean;
}

/** Nest token of the {@link Router}. */
export const ROUTER = Symbol('Router');
