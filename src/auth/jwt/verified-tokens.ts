import { LRUCache } from 'lru-cache';

import type { Identity } from '../../exchange/identity.js';
import type { VerificationKey } from './verification-key.js';

/** What came of a token that held. */
export interface VerifiedToken {
  readonly identity: Identity;
  /** What the upstream is told: name, value, name, value, … */
  readonly headers: readonly string[];
  /** Milliseconds since the Unix epoch; Infinity for a token that does not expire. */
  readonly expiresAt: number;
  readonly key: VerificationKey;
}

const MAX_TOKENS = 10_000;
/** Claims take several times the space of the token that holds them. */
const MAX_TOKEN_BYTES = 8 * 1024 * 1024;

/**
 * Tokens that were verified, by their SHA-256, the least recently used ones forgotten first. A token holds until it
 * expires or its key is gone, and is not looked at again until then.
 */
export class VerifiedTokens {
  readonly #tokens = new LRUCache<string, VerifiedToken>({ max: MAX_TOKENS, maxSize: MAX_TOKEN_BYTES });

  /** @param now milliseconds since the Unix epoch */
  find(digest: string, now: number): VerifiedToken | undefined {
    const known = this.#tokens.get(digest);
    if (known === undefined || (known.key.live && now < known.expiresAt)) return known;
    this.#tokens.delete(digest);
    return undefined;
  }

  /** @param length of the token, in bytes */
  remember(digest: string, token: VerifiedToken, length: number): void {
    this.#tokens.set(digest, token, { size: length });
  }

  get size(): number {
    return this.#tokens.size;
  }
}
