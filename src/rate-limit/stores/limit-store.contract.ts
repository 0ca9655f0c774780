import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Decision, LimitNumbers, LimitStore } from '../limit.js';

/** A store with a clock that the test moves, whole milliseconds at a time. */
export interface StoreUnderTest {
  readonly store: LimitStore;
  now(): number;
  advance(ms: number): void | Promise<void>;
}

type MakeStore = (numbers: LimitNumbers) => StoreUnderTest | Promise<StoreUnderTest>;

/** What every store of limits must do. `make` gives a fresh store each time. */
export function limitStoreContract(name: string, make: MakeStore): void {
  describe(`${name}: token bucket`, () => {
    takingContract(make);
    refundContract(make);
    modelContract(make);
  });
}

function takingContract(make: MakeStore): void {
  it('passes the burst at once, then one request each time a token has come back', async () => {
    const sut = await make(numbersOf(100, 60_000, 3));
    expect(await passes(sut, 4)).toEqual([true, true, true, false]);
    await sut.advance(599);
    expect(await passes(sut, 1)).toEqual([false]);
    await sut.advance(1);
    expect(await passes(sut, 2)).toEqual([true, false]);
  });

  it('tells what is left, when all is back, and when to try again', async () => {
    const sut = await make(numbersOf(2, 1_000));
    expect(await take(sut)).toEqual({ allowed: true, remaining: 1, resetMs: 500, retryMs: 0 });
    expect(await take(sut)).toEqual({ allowed: true, remaining: 0, resetMs: 1_000, retryMs: 0 });
    expect(await take(sut)).toEqual({ allowed: false, remaining: 0, resetMs: 1_000, retryMs: 500 });
  });

  it('keeps keys apart', async () => {
    const sut = await make(numbersOf(1, 1_000));
    expect((await take(sut, 'a')).allowed).toBe(true);
    expect((await take(sut, 'b')).allowed).toBe(true);
    expect((await take(sut, 'a')).allowed).toBe(false);
  });

  it('takes nothing when it refuses, nor for a cost of 0', async () => {
    const sut = await make(numbersOf(3, 3_000));
    await take(sut, 'a', 2);
    expect((await take(sut, 'a', 2)).allowed).toBe(false);
    expect(await take(sut, 'a', 0)).toEqual({ allowed: true, remaining: 1, resetMs: 2_000, retryMs: 0 });
    expect((await take(sut, 'a', 1)).allowed).toBe(true);
  });
}

function refundContract(make: MakeStore): void {
  it('gives back what was taken, never more than the bucket holds', async () => {
    const sut = await make(numbersOf(2, 2_000));
    expect(await passes(sut, 2)).toEqual([true, true]);
    await sut.store.refund('a', 1);
    expect(await passes(sut, 2)).toEqual([true, false]);
    await sut.advance(2_000);
    await sut.store.refund('a', 1);
    expect(await passes(sut, 3)).toEqual([true, true, false]);
  });

  it('does not mind a refund of a key it does not know', async () => {
    const sut = await make(numbersOf(1, 1_000));
    await sut.store.refund('a', 1);
    expect(await passes(sut, 2)).toEqual([true, false]);
  });
}

function modelContract(make: MakeStore): void {
  it('does exactly what the formal model does', async () => {
    const sameAsModel = fc.asyncProperty(
      limits,
      fc.array(step, { maxLength: 60 }),
      async (numbers, steps) => {
        const sut = await make(numbers);
        const model = new ModelBucket(numbers);
        const [seen, expected]: [Decision[], Decision[]] = [[], []];
        for (const { kind, key, amount } of steps) {
          if (kind === 'advance') await sut.advance(amount);
          const now = sut.now();
          // A refund belongs to an earlier take: the model refuses the others.
          if (kind === 'refund' && model.refund(key, 1, now)) await sut.store.refund(key, 1);
          if (kind !== 'take') continue;
          const cost = Math.min(amount, numbers.capacity);
          seen.push(await sut.store.take(key, cost, now));
          expected.push(model.take(key, cost, now));
        }
        expect(seen).toEqual(expected);
      },
    );
    await expect(fc.assert(sameAsModel)).resolves.toBeUndefined();
  });
}

function numbersOf(requests: number, perMs: number, capacity = requests): LimitNumbers {
  return { algorithm: 'token_bucket', requests, perMs, capacity };
}

function take(sut: StoreUnderTest, key = 'a', cost = 1): Decision | Promise<Decision> {
  return sut.store.take(key, cost, sut.now());
}

async function passes(sut: StoreUnderTest, times: number): Promise<boolean[]> {
  const passed: boolean[] = [];
  for (let i = 0; i < times; i++) passed.push((await take(sut)).allowed);
  return passed;
}

const limits: fc.Arbitrary<LimitNumbers> = fc.record({
  algorithm: fc.constant('token_bucket' as const),
  requests: fc.integer({ min: 1, max: 1_000 }),
  perMs: fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.constantFrom(1_000, 60_000, 3_600_000)),
  capacity: fc.integer({ min: 1, max: 20 }),
});

const step = fc.record({
  kind: fc.constantFrom('take', 'take', 'take', 'refund', 'advance'),
  key: fc.constantFrom('a', 'b'),
  amount: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 5_000 })),
});

/**
 * The token bucket as the textbook has it: a count of tokens and the time it was true. A token is counted in
 * `perMs` parts, of which each millisecond brings `requests`, so that all numbers are whole.
 */
export class ModelBucket {
  readonly #keys = new Map<string, { parts: number; at: number; taken: number }>();

  constructor(readonly numbers: LimitNumbers) {}

  take(key: string, cost: number, now: number): Decision {
    const { requests, perMs, capacity } = this.numbers;
    const bucket = this.#refilled(key, now);
    const missing = cost * perMs - bucket.parts;
    const allowed = missing <= 0;
    if (allowed) {
      bucket.parts -= cost * perMs;
      bucket.taken += cost;
    }
    return {
      allowed,
      remaining: Math.floor(bucket.parts / perMs),
      resetMs: (capacity * perMs - bucket.parts) / requests,
      retryMs: allowed ? 0 : missing / requests,
    };
  }

  /** False when that much was not taken. */
  refund(key: string, cost: number, now: number): boolean {
    const bucket = this.#refilled(key, now);
    if (bucket.taken < cost) return false;
    bucket.taken -= cost;
    bucket.parts = Math.min(bucket.parts + cost * this.numbers.perMs, this.#full);
    return true;
  }

  get #full(): number {
    return this.numbers.capacity * this.numbers.perMs;
  }

  #refilled(key: string, now: number): { parts: number; at: number; taken: number } {
    const bucket = this.#keys.get(key) ?? { parts: this.#full, at: now, taken: 0 };
    bucket.parts = Math.min(bucket.parts + (now - bucket.at) * this.numbers.requests, this.#full);
    bucket.at = now;
    this.#keys.set(key, bucket);
    return bucket;
  }
}
