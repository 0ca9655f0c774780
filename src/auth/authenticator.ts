import type { AuthKind } from '../config/auth.config.js';
import type { Exchange } from '../exchange/exchange.js';
import type { Identity } from '../exchange/identity.js';

/** One way to prove who sends a request; compiled once for a document. */
export interface Authenticator {
  readonly kind: AuthKind;
  /**
   * Who it is; null when the request has no credential of this kind. Throws a Refusal, or rejects with one, for a
   * credential that does not hold. A promise only where something must be waited for.
   */
  authenticate(exchange: Exchange): Identity | null | Promise<Identity | null>;
}
