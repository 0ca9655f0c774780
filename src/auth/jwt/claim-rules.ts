import { durationMs } from '../../common/duration.js';
import type { JwtConfig } from '../../config/auth.config.js';
import type { Claims } from './claims.js';

/** What the claims of a token must say (RFC 7519 §4.1), compiled once for a document. */
export class ClaimRules {
  readonly #issuer: string | null;
  readonly #audiences: ReadonlySet<unknown> | null;
  readonly #required: readonly string[];
  readonly #toleranceMs: number;

  constructor({ issuer, audience, required_claims, clock_tolerance }: Readonly<JwtConfig>) {
    this.#issuer = issuer;
    this.#audiences = audience === null ? null : new Set([audience].flat());
    this.#required = required_claims;
    this.#toleranceMs = durationMs(clock_tolerance);
  }

  /** @param now milliseconds since the Unix epoch */
  hold(claims: Claims, now: number): boolean {
    const { iss, aud, exp, nbf } = claims;
    return (
      this.#required.every((name) => Object.hasOwn(claims, name) && claims[name] !== null) &&
      (this.#issuer === null || iss === this.#issuer) &&
      (this.#audiences === null || [aud].flat().some((one) => this.#audiences!.has(one))) &&
      (exp === undefined || (isTime(exp) && now < this.expiry(claims))) &&
      (nbf === undefined || (isTime(nbf) && now >= nbf * 1_000 - this.#toleranceMs))
    );
  }

  /** From when on a token that holds does no more, in milliseconds since the Unix epoch; Infinity without `exp`. */
  expiry({ exp }: Claims): number {
    return typeof exp === 'number' ? exp * 1_000 + this.#toleranceMs : Infinity;
  }
}

/** NumericDate (RFC 7519 §2): seconds, with a fraction or without; never a text. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
