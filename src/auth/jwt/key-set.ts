import { createPublicKey, type webcrypto } from 'node:crypto';

import type { TokenHeader } from './token-header.js';
import { VerificationKey } from './verification-key.js';

type Jwk = webcrypto.JsonWebKey & Readonly<Record<string, unknown>>;

/** Weaker RSA keys are none (RFC 7518 §3.3). */
const LEAST_RSA_BITS = 2048;

/** The keys of a JWK set (RFC 7517) that verify signatures; the rest of the set is passed by (§5). */
export class KeySet {
  private constructor(private readonly keys: ReadonlyMap<string, VerificationKey>) {}

  static readonly EMPTY = new KeySet(new Map());

  /** Keys that the previous set had too stay the same objects. Throws for what is no JWK set. */
  static parse(document: unknown, previous: KeySet): KeySet {
    const listed = Object(document).keys as unknown;
    if (!Array.isArray(listed)) throw new TypeError('the answer is no key set');
    const keys = new Map<string, VerificationKey>();
    for (const entry of listed) {
      const [id, key] = readKey(entry) ?? [];
      if (id !== undefined && key !== undefined) keys.set(id, previous.keys.get(id) ?? key);
    }
    return new KeySet(keys);
  }

  get size(): number {
    return this.keys.size;
  }

  /** The one key that fits; null when none does, and when several do: guessing is not verifying. */
  find({ alg, kid }: TokenHeader): VerificationKey | null {
    let found: VerificationKey | null = null;
    for (const key of this.keys.values()) {
      if (!key.fits(alg) || (kid !== undefined && key.kid !== kid)) continue;
      if (found !== null) return null;
      found = key;
    }
    return found;
  }

  /** Ends the life of the keys that the next set has no more. */
  giveWayTo(next: KeySet): void {
    for (const [id, key] of this.keys) {
      if (!next.keys.has(id)) key.live = false;
    }
  }
}

/** The key with a text that two keys share only when they are the same for the gateway. */
function readKey(entry: unknown): [string, VerificationKey] | null {
  if (typeof entry !== 'object' || entry === null || !isForVerifying(entry as Jwk)) return null;
  try {
    const { kid, alg } = entry as Jwk;
    const key = createPublicKey({ key: entry, format: 'jwk' });
    if ((key.asymmetricKeyDetails?.modulusLength ?? LEAST_RSA_BITS) < LEAST_RSA_BITS) return null;
    const made = new VerificationKey(key, textOf(kid), textOf(alg));
    const spki = key.export({ type: 'spki', format: 'der' }).toString('base64');
    return [JSON.stringify([made.kid, made.alg, spki]), made];
  } catch {
    return null;
  }
}

function isForVerifying({ use, key_ops: operations }: Jwk): boolean {
  if (use !== undefined && use !== 'sig') return false;
  return operations === undefined || (Array.isArray(operations) && operations.includes('verify'));
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
