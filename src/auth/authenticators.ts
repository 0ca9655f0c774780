import { Inject, Injectable } from '@nestjs/common';

import { CLOCK, type Clock } from '../common/clock.js';
import type { AuthConfig, AuthKind } from '../config/auth.config.js';
import { ApiKeyAuthenticator } from './api-keys/api-key.authenticator.js';
import type { Authenticator } from './authenticator.js';
import { JwtAuthenticators } from './jwt/jwt-authenticators.js';

/** The authenticators of documents: one of a kind, made for the first route that asks for it. */
@Injectable()
export class Authenticators {
  readonly #made = new WeakMap<Readonly<AuthConfig>, Map<AuthKind, Authenticator>>();

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly tokens: JwtAuthenticators,
  ) {}

  /** Throws a RangeError for a kind that the document does not set up: a route that asks for it is never open. */
  of(kind: AuthKind, auth: Readonly<AuthConfig>): Authenticator {
    let made = this.#made.get(auth);
    if (made === undefined) this.#made.set(auth, (made = new Map()));
    let authenticator = made.get(kind);
    if (authenticator === undefined) made.set(kind, (authenticator = this.#make(kind, auth)));
    return authenticator;
  }

  #make(kind: AuthKind, auth: Readonly<AuthConfig>): Authenticator {
    if (kind === 'api_key' && auth.api_keys !== null)
      return new ApiKeyAuthenticator(auth.api_keys, this.clock);
    const tokens = kind === 'jwt' ? this.tokens.authenticatorFor(auth) : null;
    if (tokens !== null) return tokens;
    throw new RangeError(`a route asks for auth: ${kind}, and the document has none`);
  }
}
