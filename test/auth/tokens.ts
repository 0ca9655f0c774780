import { createHmac, generateKeyPairSync, type KeyObject, sign as signBytes } from 'node:crypto';

import { SignJWT } from 'jose';

/** A key pair of a token's issuer. */
export interface IssuerKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The public key as it stands in a JWK set. */
  readonly jwk: Record<string, unknown>;
  /** The public key in PEM. */
  readonly pem: string;
}

const CURVES: Readonly<Record<string, string>> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' };

/** A new key for an algorithm; `jwk` may be told more of it. */
export function issuerKey(kid: string, alg = 'RS256', members: object = {}, curve = 'ed25519'): IssuerKey {
  const { privateKey, publicKey } = newPair(alg, curve);
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig', ...members };
  const pem = publicKey.export({ type: 'spki', format: 'pem' });
  return { kid, alg, privateKey, publicKey, jwk, pem };
}

function newPair(alg: string, curve: string): { privateKey: KeyObject; publicKey: KeyObject } {
  if (alg === 'EdDSA')
    return curve === 'ed448' ? generateKeyPairSync('ed448') : generateKeyPairSync('ed25519');
  const namedCurve = CURVES[alg];
  if (namedCurve !== undefined) return generateKeyPairSync('ec', { namedCurve });
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}

/** Seconds since the Unix epoch, that many from now. */
export function inSeconds(seconds: number): number {
  return Math.floor(Date.now() / 1_000) + seconds;
}

/** A token as an issuer makes it, by a library that the gateway does not verify with. */
export function token(key: IssuerKey, claims: object = {}, header: object = {}): Promise<string> {
  return new SignJWT({ sub: 'ada', exp: inSeconds(60), ...claims })
    .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
    .sign(key.privateKey);
}

/** The same with a shared secret. */
export function secretToken(secret: string, claims: object = {}, alg = 'HS256'): Promise<string> {
  return new SignJWT({ sub: 'ada', exp: inSeconds(60), ...claims })
    .setProtectedHeader({ alg })
    .sign(Buffer.from(secret));
}

/** A token with whatever header and payload, signed with RS256 or by HMAC with the given text. */
export function forged(header: object, payload: unknown, by: KeyObject | string): string {
  const input = `${part(header)}.${part(payload)}`;
  const signature =
    typeof by === 'string'
      ? createHmac('sha256', by).update(input).digest()
      : signBytes('sha256', Buffer.from(input), by);
  return `${input}.${signature.toString('base64url')}`;
}

/** A part of a token. */
export function part(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

export function bearer(value: string): { authorization: string } {
  return { authorization: `Bearer ${value}` };
}
