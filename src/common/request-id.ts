import { randomFillSync } from 'node:crypto';

import type { Clock } from './clock.js';

/** Crockford's base 32 (ULID) in lower case. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** Every pair of its digits: ten bits at a look-up. */
const PAIRS = Array.from(
  { length: 1024 },
  (_, bits) => ALPHABET.charAt(bits >> 5) + ALPHABET.charAt(bits & 31),
);
/** Ids drawn from one call for randomness; each takes eight pairs. */
const IDS_PER_FILL = 512;
const RANDOM_PAIRS = 8;
const TIME_DIGITS = 10;

const ACCEPTABLE = /^[A-Za-z0-9._-]{1,128}$/;

/** Fills the array with unpredictable bits. */
export type RandomFill = (into: Uint16Array) => unknown;

/**
 * Gives each request its id: the client's where it is trusted and harmless, else a new ULID in lower case
 * (48 bits of milliseconds, then 80 random bits), which sorts by time and is unique over processes.
 */
export class RequestIds {
  private readonly random = new Uint16Array(IDS_PER_FILL * RANDOM_PAIRS);
  private next = this.random.length;
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
    let id = this.timePart;
    for (let pair = 0; pair < RANDOM_PAIRS; pair++) id += PAIRS[this.nextBits()]!;
    return id;
  }

  private nextBits(): number {
    if (this.next === this.random.length) {
      this.fill(this.random);
      this.next = 0;
    }
    return this.random[this.next++]! & 1023;
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
