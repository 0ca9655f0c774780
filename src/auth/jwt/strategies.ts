import { type KeyObject, verify } from 'node:crypto';

import passport from 'passport';
import { type SecretOrKeyProvider, Strategy, type VerifyCallbackWithRequest } from 'passport-jwt';

/** A token whose key was found: what the strategies are given in the place of a request. */
export interface TokenToVerify {
  readonly token: string;
  readonly key: KeyObject;
}

/** Told the payload of a token whose signature holds; what it hands to `done` is who the token names. */
export type JudgePayload = VerifyCallbackWithRequest;

type JwsAlgorithm = 'HS256';

/** passport-jwt: the signatures of all algorithms but EdDSA. Claims are judged by one and the same for all of them. */
export function passportJwt(algorithms: readonly string[], judge: JudgePayload): passport.Strategy {
  // KeyObjects are what jsonwebtoken turns PEM and bytes into itself; its types do not say that it takes them.
  const secretOrKeyProvider = (({ key }, _token, done) =>
    done(null, key as never)) satisfies SecretOrKeyProvider<TokenToVerify>;
  return new Strategy(
    {
      jwtFromRequest: (request: unknown) => (request as TokenToVerify).token,
      secretOrKeyProvider,
      algorithms: algorithms as JwsAlgorithm[],
      jsonWebTokenOptions: { ignoreNotBefore: true },
      ignoreExpiration: true,
      passReqToCallback: true,
    },
    judge,
  );
}

/** EdDSA (RFC 8037 §3.1), which passport-jwt's verifier does not know: Ed25519 and Ed448. */
export class EdDsaStrategy extends passport.Strategy {
  override readonly name = 'jwt-eddsa';

  constructor(private readonly judge: JudgePayload) {
    super();
  }

  override authenticate(request: unknown): void {
    const { token, key } = request as TokenToVerify;
    const end = token.lastIndexOf('.');
    const signature = Buffer.from(token.slice(end + 1), 'base64url');
    if (!verify(null, Buffer.from(token.slice(0, end)), key, signature)) return this.fail(401);
    const payload: unknown = JSON.parse(
      Buffer.from(token.slice(token.indexOf('.') + 1, end), 'base64url').toString(),
    );
    this.judge(request, payload, (error: unknown, user: unknown) => {
      if (error) this.error(error);
      else if (user) this.success(user);
      else this.fail(401);
    });
  }
}
