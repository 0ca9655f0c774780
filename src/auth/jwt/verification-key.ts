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

/** A key that tokens are verified with. What was verified with it holds while it is {@link live}. */
export class VerificationKey {
  /** False once the key is gone from where it came from; it never comes back. */
  live = true;
  readonly #type: string;

  constructor(
    readonly key: KeyObject,
    readonly kid: string | null = null,
    /** The one algorithm that the key is for (RFC 7517 §4.4); null = any that fits its type. */
    readonly alg: string | null = null,
  ) {
    this.#type = typeOf(key);
  }

  fits(alg: string): boolean {
    if (this.alg !== null && this.alg !== alg) return false;
    return KEY_TYPES.some(([name, type]) => name.test(alg) && type.test(this.#type));
  }
}

function typeOf(key: KeyObject): string {
  if (key.type === 'secret') return 'secret';
  const curve = key.asymmetricKeyDetails?.namedCurve;
  return curve === undefined ? String(key.asymmetricKeyType) : `${key.asymmetricKeyType}:${curve}`;
}
