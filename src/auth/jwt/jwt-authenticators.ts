import { Inject, Injectable, type OnModuleDestroy, Optional } from '@nestjs/common';

import { CLOCK, type Clock, systemClock } from '../../common/clock.js';
import { durationMs } from '../../common/duration.js';
import { sameData } from '../../common/same-data.js';
import type { AuthConfig, JwtConfig } from '../../config/auth.config.js';
import type { Snapshot, SnapshotListener } from '../../exchange/snapshot.js';
import { discoverKeySet, fetchKeySet } from './fetch-key-set.js';
import { FileKey, SecretKey } from './fixed-keys.js';
import { JwtAuthenticator } from './jwt-authenticator.js';
import { LogKeySetEvents } from './key-set-events.js';
import type { KeySource } from './key-source.js';
import { RemoteKeys } from './remote-keys.js';

/**
 * The authenticator of each document. A document with the same `auth.jwt` as the one in force gets the same, with all
 * that it remembers; one with the same source of keys at least those.
 */
@Injectable()
export class JwtAuthenticators implements SnapshotListener, OnModuleDestroy {
  readonly #made = new WeakMap<Readonly<AuthConfig>, JwtAuthenticator>();
  #current: JwtAuthenticator | null = null;

  constructor(
    private readonly events: LogKeySetEvents,
    @Optional() @Inject(CLOCK) private readonly clock: Clock = systemClock,
  ) {}

  /** Null without `auth.jwt`. Throws when its key file can't be read. */
  authenticatorFor(auth: Readonly<AuthConfig>): JwtAuthenticator | null {
    const { jwt } = auth;
    if (jwt === null) return null;
    if (this.#current !== null && sameData(this.#current.config, jwt)) return this.#current;
    const made = this.#made.get(auth) ?? new JwtAuthenticator(jwt, this.#keysOf(jwt), this.clock);
    this.#made.set(auth, made);
    return made;
  }

  applied({ config }: Snapshot): void {
    const next = this.authenticatorFor(config.auth);
    if (this.#current !== null && this.#current.keys !== next?.keys) this.#current.keys.retire();
    this.#current = next;
    next?.keys.inForce();
  }

  onModuleDestroy(): void {
    this.#current?.keys.retire();
  }

  #keysOf(jwt: Readonly<JwtConfig>): KeySource {
    const current = this.#current;
    if (current !== null && sameData(sourceOf(current.config), sourceOf(jwt))) return current.keys;
    if (jwt.secret !== null) return new SecretKey(jwt.secret);
    if (jwt.public_key_file !== null) return new FileKey(jwt.public_key_file, this.events);
    return this.#remoteKeys(jwt);
  }

  #remoteKeys({ jwks_uri: uri, issuer, jwks }: Readonly<JwtConfig>): RemoteKeys {
    const timeoutMs = durationMs(jwks.timeout);
    const settings = {
      source: withoutQuery(uri ?? issuer!),
      cooldownMs: durationMs(jwks.cooldown),
      maxAgeMs: durationMs(jwks.max_age),
      fetch: () => {
        const signal = AbortSignal.timeout(timeoutMs);
        return uri === null ? discoverKeySet(issuer!, signal) : fetchKeySet(uri, signal);
      },
    };
    return new RemoteKeys(settings, this.events, this.clock);
  }
}

/** What of `auth.jwt` says where the keys come from. */
function sourceOf({ secret, public_key_file, jwks_uri, issuer, jwks }: Readonly<JwtConfig>): unknown {
  const fixed = secret ?? public_key_file;
  return fixed === null ? [jwks_uri ?? issuer, jwks_uri === null, jwks] : [secret, public_key_file];
}

/** For logs: a query may hold a key. */
function withoutQuery(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
}
