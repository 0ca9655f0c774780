import { createPublicKey, createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

import type { KeySetEvents } from './key-set-events.js';
import type { KeySource } from './key-source.js';
import type { TokenHeader } from './token-header.js';
import { VerificationKey } from './verification-key.js';

/** The shared secret of the HS algorithms. */
export class SecretKey implements KeySource {
  readonly #key: VerificationKey;

  constructor(secret: string) {
    this.#key = new VerificationKey(createSecretKey(secret, 'utf8'));
  }

  keyFor({ alg }: TokenHeader): VerificationKey | null {
    return this.#key.fits(alg) ? this.#key : null;
  }

  inForce(): void {}

  retire(): void {}
}

/** A public key in PEM. Each document that comes into force has the file read again. */
export class FileKey implements KeySource {
  #key: VerificationKey;

  /** Throws when the file can't be read or holds no public key. */
  constructor(
    private readonly file: string,
    private readonly events: KeySetEvents,
  ) {
    this.#key = new VerificationKey(createPublicKey(readFileSync(file)));
  }

  /** The one key is everybody's: a `kid` says nothing. */
  keyFor({ alg }: TokenHeader): VerificationKey | null {
    return this.#key.fits(alg) ? this.#key : null;
  }

  inForce(): void {
    void this.#readAgain();
  }

  retire(): void {}

  async #readAgain(): Promise<void> {
    try {
      const key = createPublicKey(await readFile(this.file));
      if (key.equals(this.#key.key)) return;
      this.#key.live = false;
      this.#key = new VerificationKey(key);
    } catch (error) {
      this.events.unavailable(this.file, error, 1);
    }
  }
}
