import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

/** One client's tie to one backend, as a cookie carries it: `<upstream>.<backend>.<expiry>.<signature>`. */
const ENTRY = /^([\w-]{8})\.([\w-]{22})\.([0-9a-z]{1,9})\.[\w-]{43}$/;

/** What an entry claims; nobody has checked it. Expiry in seconds since the Unix epoch. */
export interface Claim {
  /** Tag of the upstream. */
  readonly upstream: string;
  /** Tag of the backend. */
  readonly backend: string;
  readonly expiresAt: number;
  readonly text: string;
}

/** Null for what is no entry. */
export function readClaim(text: string): Claim | null {
  const [, upstream, backend, expiry] = ENTRY.exec(text) ?? [];
  if (upstream === undefined) return null;
  return { upstream, backend: backend!, expiresAt: Number.parseInt(expiry!, 36), text };
}

/** Makes and checks the entries of one upstream (HMAC-SHA256). Tags are keyed too: they give no name away. */
export class Affinity {
  /** Tag of the upstream. */
  readonly upstream: string;
  readonly #key: KeyObject;

  constructor(
    secret: string | Buffer,
    private readonly name: string,
  ) {
    this.#key = typeof secret === 'string' ? createSecretKey(secret, 'utf8') : createSecretKey(secret);
    this.upstream = this.#mac(`upstream\0${name}`).toString('base64url').slice(0, 8);
  }

  /** Tag of the backend with this id. */
  tagOf(id: string): string {
    return this.#mac(`backend\0${this.name}\0${id}`).toString('base64url').slice(0, 22);
  }

  /** @param expiresAt seconds since the Unix epoch */
  sign(backend: string, expiresAt: number): string {
    const claim = `${this.upstream}.${backend}.${expiresAt.toString(36)}`;
    return `${claim}.${this.#signature(claim).toString('base64url')}`;
  }

  /** Whether this upstream signed it. */
  signed({ text }: Claim): boolean {
    const end = text.lastIndexOf('.');
    const given = Buffer.from(text.slice(end + 1), 'base64url');
    const right = this.#signature(text.slice(0, end));
    return given.length === right.length && timingSafeEqual(given, right);
  }

  #signature(claim: string): Buffer {
    return this.#mac(`entry\0${claim}`);
  }

  #mac(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest();
  }
}
