import type { TokenHeader } from './token-header.js';
import type { VerificationKey } from './verification-key.js';

/** Where the keys of tokens come from. */
export interface KeySource {
  /**
   * The key that a token with this header must have been signed for; null when there is none. A promise only where the
   * keys must be fetched; it never rejects.
   */
  keyFor(header: TokenHeader): VerificationKey | null | Promise<VerificationKey | null>;
  /** A document that uses it came into force, maybe one more. */
  inForce(): void;
  /** No document uses it any more: nothing is fetched but for exchanges that still wait. */
  retire(): void;
}
