import passport from 'passport';

import type { KeySource } from './key-source.js';
import { EdDsaStrategy, type JudgePayload, passportJwt, type TokenToVerify } from './strategies.js';
import { readTokenHeader } from './token-header.js';
import type { VerificationKey } from './verification-key.js';

/** A payload whose signature holds, and the key it holds with. */
export interface SignedPayload {
  readonly payload: object;
  readonly key: VerificationKey;
}

const EDDSA = 'EdDSA';

/**
 * Verifies signatures through passport. Which key and which algorithms there may be is the document's word alone; a
 * token merely chooses among them.
 */
export class TokenVerifier {
  readonly #passport = new passport.Passport();
  readonly #algorithms: ReadonlySet<string>;

  constructor(
    algorithms: readonly string[],
    private readonly keys: KeySource,
  ) {
    this.#algorithms = new Set(algorithms);
    const others = algorithms.filter((name) => name !== EDDSA);
    if (others.length > 0) this.#passport.use('jwt', passportJwt(others, takeObjects));
    if (this.#algorithms.has(EDDSA)) this.#passport.use('jwt-eddsa', new EdDsaStrategy(takeObjects));
  }

  /** Null for a token that does not hold. A promise only where keys must be fetched; it never rejects. */
  verify(token: string): SignedPayload | null | Promise<SignedPayload | null> {
    const header = readTokenHeader(token);
    if (header === null || !this.#algorithms.has(header.alg)) return null;
    const key = this.keys.keyFor(header);
    return key instanceof Promise
      ? key.then((found) => this.#signed(token, header.alg, found))
      : this.#signed(token, header.alg, key);
  }

  #signed(token: string, alg: string, key: VerificationKey | null): SignedPayload | null {
    if (key === null) return null;
    const payload = this.#run(alg === EDDSA ? 'jwt-eddsa' : 'jwt', { token, key: key.key });
    return payload && { payload, key };
  }

  /** Both strategies answer before they return. What they throw of a token (a payload that is `null`) is a no, too. */
  #run(strategy: string, request: TokenToVerify): object | null {
    let payload: object | null = null;
    const answer = (error: unknown, user: unknown): void => {
      payload = !error && user ? user : null;
    };
    try {
      const authenticate = this.#passport.authenticate(strategy, { session: false }, answer) as Middleware;
      authenticate({ ...request }, undefined, answer);
    } catch {
      return null;
    }
    return payload;
  }
}

type Middleware = (
  request: object,
  response: undefined,
  next: (error: unknown, user: unknown) => void,
) => void;

/** RFC 7519 §7.2 step 10: the payload must be an object. */
const takeObjects: JudgePayload = (_request, payload: unknown, done) =>
  done(null, typeof payload === 'object' && payload !== null && !Array.isArray(payload) ? payload : false);
