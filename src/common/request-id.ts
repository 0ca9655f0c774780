import { randomFillSync } from 'node:crypto';

import type { Clock } from './clock.js';

/** Crockford's base 32 (ULID) in lower case. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** Ids drawn from one call for randomness, and written out together. */
const IDS_PER_FILL = 512;
const RANDOM_DIGITS = 16;
const TIME_DIGITS = 10;

const ACCEPTABLE = /^[A-Za-z0-9._-]{1,128}$/;

/** Fills the array with unpredictable bits. */
export type RandomFill = (into: Uint16Array) => unknown;

/**
 * Gives each request its id: the client's where it is trusted and harmless, else a new ULID in lower case
 * (48 bits of milliseconds, then 80 random bits), which sorts by time and is unique over processes.
 */
export class RequestIds {
  /** Ten bits of each are used: two digits. */
  private readonly random = new Uint16Array((IDS_PER_FILL * RANDOM_DIGITS) / 2);
  /** The random parts of all ids of one fill, one behind the other. */
  private digits = '';
  private next = 0;
  private millisecond = Number.NaN;
  private timePart = '';

  constructor(
    private readonly config: { readonly trust: boolean },
    private readonly clock: Clock,
    private readonly fill: RandomFill = randomFillSync,
  ) {}

  /** The client's id if it may be kept, else a new one. */
  idFor(clientId: string | undefined): string {
    if (clientId !== undefined && this.config.trust && ACCEPTABLE.test(clientId)) return clientId;
    return this.newId();
  }

  newId(): string {
    const wall = Math.trunc(this.clock.wall());
    if (wall !== this.millisecond) {
      this.millisecond = wall;
      this.timePart = timeDigits(wall);
    }
    if (this.next === this.digits.length) this.refill();
    const from = this.next;
    this.next += RANDOM_DIGITS;
    return this.timePart + this.digits.slice(from, this.next);
  }

  private refill(): void {
    this.fill(this.random);
    const digits = Buffer.allocUnsafe(this.random.length * 2);
    this.random.forEach((bits, at) => {
      digits[2 * at] = ALPHABET.charCodeAt((bits >> 5) & 31);
      digits[2 * at + 1] = ALPHABET.charCodeAt(bits & 31);
    });
    this.digits = digits.toString('latin1');
    this.next = 0;
  }
}

function timeDigits(wall: number): string {
  let digits = '';
  let rest = wall;
  for (let digit = 0; digit < TIME_DIGITS; digit++) {
    digits = ALPHABET.charAt(rest % 32) + digits;
    rest = Math.floor(rest / 32);
  }
  return digits;
}
