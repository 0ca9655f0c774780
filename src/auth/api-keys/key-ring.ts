import { hash, timingSafeEqual } from 'node:crypto';

import type { ApiKeyConfig } from '../../config/auth.config.js';
import type { Identity } from '../../exchange/identity.js';

interface KnownKey {
  readonly digest: Buffer;
  /** Unix milliseconds from which on it is refused; Infinity = never. */
  readonly expiresAt: number;
  readonly identity: Identity;
}

/** The API keys of a document. Of the keys themselves it holds SHA-256 digests alone. */
export class KeyRing {
  readonly #keys: ReadonlyMap<string, KnownKey>;

  /** Throws a RangeError for two entries of the same key: nobody could say whose it is. */
  constructor(configs: readonly Readonly<ApiKeyConfig>[]) {
    const keys = new Map<string, KnownKey>();
    for (const config of configs) {
      const digest = digestOf(config);
      const name = digest.toString('hex');
      if (keys.has(name))
        throw new RangeError(`auth.api_keys: ${config.id} is a key that stands there twice`);
      keys.set(name, knownKey(config, digest));
    }
    this.#keys = keys;
  }

  /**
   * Whose key it is; null for one that is unknown or expired.
   *
   * @param presented bytes as `latin1` text
   * @param now Unix milliseconds
   */
  identityOf(presented: string, now: number): Identity | null {
    if (presented === '') return null;
    const digest = hash('sha256', Buffer.from(presented, 'latin1'), 'buffer');
    // Looking up a digest tells an attacker's clock nothing of a key: nobody can steer SHA-256 towards one.
    const known = this.#keys.get(digest.toString('hex'));
    if (known === undefined || !timingSafeEqual(known.digest, digest)) return null;
    return now < known.expiresAt ? known.identity : null;
  }
}

function digestOf({ hash: written, key }: Readonly<ApiKeyConfig>): Buffer {
  return written === null
    ? hash('sha256', key!, 'buffer')
    : Buffer.from(written.slice('sha256:'.length), 'hex');
}

function knownKey({ id, roles, expires }: Readonly<ApiKeyConfig>, digest: Buffer): KnownKey {
  return {
    digest,
    expiresAt: expires === null ? Infinity : Date.parse(expires),
    identity: Object.freeze({ kind: 'api_key', id, roles, claims: NO_CLAIMS }),
  };
}

const NO_CLAIMS = Object.freeze({});
