import type { KeyObject } from 'node:crypto';

import { fitsAlgorithm, keyType } from '../../common/key-types.js';

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
    this.#type = keyType(key);
  }

  fits(alg: string): boolean {
    if (this.alg !== null && this.alg !== alg) return false;
    return fitsAlgorithm(this.#type, alg);
  }
}
