import { hash } from 'node:crypto';

import type { Clock } from '../../common/clock.js';
import type { JwtConfig } from '../../config/auth.config.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { Identity } from '../../exchange/identity.js';
import type { Authenticator } from '../authenticator.js';
import { bearerToken } from './bearer-token.js';
import { ClaimRules } from './claim-rules.js';
import { freezeClaims } from './claims.js';
import { ForwardedClaims } from './forwarded-claims.js';
import { identityOf } from './jwt-identity.js';
import type { KeySource } from './key-source.js';
import { invalidToken } from './refuse-token.js';
import { type SignedPayload, TokenVerifier } from './token-verifier.js';
import { type VerifiedToken, VerifiedTokens } from './verified-tokens.js';

/** Authenticates by `Authorization: Bearer` and a JWT, as one `auth.jwt` says. Known tokens cost a digest and a look-up. */
export class JwtAuthenticator implements Authenticator {
  readonly kind = 'jwt';
  readonly #tokens = new VerifiedTokens();
  readonly #verifier: TokenVerifier;
  readonly #rules: ClaimRules;
  readonly #forwarded: ForwardedClaims;

  constructor(
    readonly config: Readonly<JwtConfig>,
    readonly keys: KeySource,
    private readonly clock: Clock,
  ) {
    this.#verifier = new TokenVerifier(config.algorithms, keys);
    this.#rules = new ClaimRules(config);
    this.#forwarded = new ForwardedClaims(config);
  }

  authenticate(exchange: Exchange): Identity | null | Promise<Identity> {
    const token = bearerToken(exchange.head.rawHeaders);
    if (token === null) return null;
    const digest = hash('sha256', token, 'binary');
    const known = this.#tokens.find(digest, this.clock.wall());
    if (known !== undefined) return admit(exchange, known);
    const signed = this.#verifier.verify(token);
    return signed instanceof Promise
      ? signed.then((late) => admit(exchange, this.#judge(token, digest, late)))
      : admit(exchange, this.#judge(token, digest, signed));
  }

  /** Throws a Refusal for a token that does not hold. */
  #judge(token: string, digest: string, signed: SignedPayload | null): VerifiedToken {
    if (signed === null) throw invalidToken();
    const claims = freezeClaims(signed.payload);
    if (!this.#rules.hold(claims, this.clock.wall())) throw invalidToken();
    const identity = identityOf(claims, this.config.roles_claim, nameless(digest));
    const headers = this.#forwarded.headersOf(identity);
    const verified = { identity, headers, expiresAt: this.#rules.expiry(claims), key: signed.key };
    this.#tokens.remember(digest, verified, token.length);
    return verified;
  }
}

/** The upstream is told in a list of the exchange's own: later stages may add to it. */
function admit(exchange: Exchange, { identity, headers }: VerifiedToken): Identity {
  if (headers.length > 0) {
    if (exchange.upstreamHeaders === null) exchange.upstreamHeaders = headers.slice();
    else exchange.upstreamHeaders.push(...headers);
  }
  return identity;
}

function nameless(digest: string): string {
  return `token:${Buffer.from(digest, 'latin1').toString('base64url')}`;
}
