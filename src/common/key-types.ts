import type { KeyObject } from 'node:crypto';

/** Which keys an algorithm verifies with (RFC 7518 §3.1, RFC 8037 §3.1): their type, and the curve where it counts. */
const KEY_TYPES: readonly (readonly [RegExp, RegExp])[] = [
  [/^HS/, /^secret$/],
  [/^RS/, /^rsa$/],
  [/^PS/, /^rsa(-pss)?$/],
  [/^ES256$/, /^ec:prime256v1$/],
  [/^ES384$/, /^ec:secp384r1$/],
  [/^ES512$/, /^ec:secp521r1$/],
  [/^EdDSA$/, /^ed(25519|448)$/],
];

/** Its type, with the curve where it has one: `secret`, `rsa`, `ec:prime256v1`, … */
export function keyType(key: KeyObject): string {
  if (key.type === 'secret') return 'secret';
  const curve = key.asymmetricKeyDetails?.namedCurve;
  return curve === undefined ? String(key.asymmetricKeyType) : `${key.asymmetricKeyType}:${curve}`;
}

/** Whether a key of this type verifies signatures of the algorithm, as JWA names it. */
export function fitsAlgorithm(type: string, algorithm: string): boolean {
  return KEY_TYPES.some(([name, types]) => name.test(algorithm) && types.test(type));
}
