import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Decision, LimitNumbers, LimitStore } from '../limit.js';
import { modelOf, type Spoken, type Taken } from './models.fixture.js';

/** A store with a clock that the test moves, whole milliseconds at a time, also back. */
export interface StoreUnderTest {
  readonly store: LimitStore;
  now(): number;
  advance(ms: number): void | Promise<void>;
}

type MakeStore = (numbers: LimitNumbers) => StoreUnderTest | Promise<StoreUnderTest>;
type Algorithm = LimitNumbers['algorithm'];

const ALGORITHMS: readonly Algorithm[] = ['token_bucket', 'fixed_window', 'sliding_window'];

/** What every store of limits must do, with every algorithm. `make` gives a fresh store each time. */
export function limitStoreContract(name: string, make: MakeStore): void {
  describe(`${name}: token bucket`, () => {
    bucketContract(make);
  });
  describe(`${name}: fixed window`, () => {
    fixedWindowContract(make);
  });
  describe(`${name}: sliding window`, () => {
    slidingWindowContract(make);
  });
  describe.each(['fixed_window', 'sliding_window'] as const)(`${name}: %s`, (algorithm) => {
    windowRefundContract(algorithm, make);
  });
  describe.each(ALGORITHMS)(`${name}: %s`, (algorithm) => {
    takingContract(algorithm, make);
    refundContract(algorithm, make);
    modelContract(algorithm, make);
    clockContract(algorithm, make);
  });
}

function bucketContract(make: MakeStore): void {
  it('passes the burst at once, then one request each time a token has come back', async () => {
    const sut = await make(numbersOf('token_bucket', 100, 60_000, 3));
    expect(await passes(sut, 4)).toEqual([true, true, true, false]);
    await sut.advance(599);
    expect(await passes(sut, 1)).toEqual([false]);
    await sut.advance(1);
    expect(await passes(sut, 2)).toEqual([true, false]);
  });

  it('tells what is left, when all is back, and when to try again', async () => {
    const sut = await make(numbersOf('token_bucket', 2, 1_000));
    expect(await take(sut)).toMatchObject({ allowed: true, remaining: 1, resetMs: 500, retryMs: 0 });
    expect(await take(sut)).toMatchObject({ allowed: true, remaining: 0, resetMs: 1_000, retryMs: 0 });
    expect(await take(sut)).toMatchObject({ allowed: false, remaining: 0, resetMs: 1_000, retryMs: 500 });
  });

  it('never gives back more than the bucket holds', async () => {
    const sut = await make(numbersOf('token_bucket', 2, 2_000));
    const { stamp } = await take(sut);
    await sut.advance(2_000);
    await sut.store.refund('a', 1, stamp);
    expect(await passes(sut, 3)).toEqual([true, true, false]);
  });
}

function fixedWindowContract(make: MakeStore): void {
  it('passes all of a window, then none, and all of the next one', async () => {
    const sut = await make(numbersOf('fixed_window', 3, 1_000));
    expect(await passes(sut, 4)).toEqual([true, true, true, false]);
    await sut.advance(999);
    expect(await passes(sut, 1)).toEqual([false]);
    await sut.advance(1);
    expect(await passes(sut, 4)).toEqual([true, true, true, false]);
  });

  it('begins the window with the first request', async () => {
    const sut = await make(numbersOf('fixed_window', 2, 1_000));
    await take(sut);
    await sut.advance(700);
    expect(await take(sut)).toMatchObject({ allowed: true, remaining: 0, resetMs: 300 });
    expect(await take(sut)).toMatchObject({ allowed: false, retryMs: 300 });
  });
}

function slidingWindowContract(make: MakeStore): void {
  it('passes no second share over the border of two windows', async () => {
    const sut = await make(numbersOf('sliding_window', 10, 1_000));
    expect((await passes(sut, 11)).filter(Boolean)).toHaveLength(10);
    await sut.advance(1_000);
    expect(await take(sut)).toMatchObject({ allowed: false, retryMs: 100 });
    await sut.advance(500);
    expect((await passes(sut, 11)).filter(Boolean)).toHaveLength(5);
  });

  it('tells what is left, when all is back, and when to try again', async () => {
    const sut = await make(numbersOf('sliding_window', 4, 1_000));
    expect(await take(sut, 'a', 4)).toMatchObject({ allowed: true, remaining: 0, resetMs: 2_000 });
    expect(await take(sut)).toMatchObject({ allowed: false, retryMs: 1_250 });
    await sut.advance(1_500);
    expect(await take(sut)).toMatchObject({ allowed: true, remaining: 1, resetMs: 1_500 });
  });
}

function takingContract(algorithm: Algorithm, make: MakeStore): void {
  it('keeps keys apart', async () => {
    const sut = await make(numbersOf(algorithm, 1, 1_000));
    expect((await take(sut, 'a')).allowed).toBe(true);
    expect((await take(sut, 'b')).allowed).toBe(true);
    expect((await take(sut, 'a')).allowed).toBe(false);
  });

  it('takes nothing when it refuses, nor for a cost of 0', async () => {
    const sut = await make(numbersOf(algorithm, 3, 3_000));
    await take(sut, 'a', 2);
    expect((await take(sut, 'a', 2)).allowed).toBe(false);
    expect(await take(sut, 'a', 0)).toMatchObject({ allowed: true, remaining: 1, retryMs: 0 });
    expect((await take(sut, 'a', 1)).allowed).toBe(true);
    expect((await take(sut, 'a', 1)).allowed).toBe(false);
  });
}

function refundContract(algorithm: Algorithm, make: MakeStore): void {
  it('gives back what was taken, as if it had never been', async () => {
    const sut = await make(numbersOf(algorithm, 3, 3_000));
    const before = await take(sut, 'a', 2);
    const { stamp } = await take(sut, 'a', 1);
    await sut.store.refund('a', 1, stamp);
    expect(await take(sut, 'a', 0)).toEqual({ ...before, stamp: expect.any(Number) as number });
    expect(await passes(sut, 2)).toEqual([true, false]);
  });

  it('does not mind a refund of a key it does not know', async () => {
    const sut = await make(numbersOf(algorithm, 1, 1_000));
    await sut.store.refund('a', 1, sut.now());
    expect(await passes(sut, 2)).toEqual([true, false]);
  });
}

function windowRefundContract(algorithm: Algorithm, make: MakeStore): void {
  it('gives back nothing of what has run out since', async () => {
    const sut = await make(numbersOf(algorithm, 2, 1_000));
    const { stamp } = await take(sut, 'a', 2);
    await sut.advance(2_000);
    await take(sut, 'a', 2);
    await sut.store.refund('a', 2, stamp);
    expect((await take(sut)).allowed).toBe(false);
  });
}

function modelContract(algorithm: Algorithm, make: MakeStore): void {
  it('does exactly what the formal model does', async () => {
    const sameAsModel = fc.asyncProperty(
      limitsOf(algorithm),
      fc.array(step, { maxLength: 60 }),
      async (numbers, steps) => {
        const sut = await make(numbers);
        const [seen, expected] = await played(sut, numbers, steps);
        expect(seen).toEqual(expected);
      },
    );
    await expect(fc.assert(sameAsModel)).resolves.toBeUndefined();
  });

  it('lets one pass after exactly the time that it tells, and not a moment sooner', async () => {
    const truthful = fc.asyncProperty(
      limitsOf(algorithm),
      fc.array(fc.nat(400), { minLength: 1, maxLength: 8 }),
      async (numbers, pauses) => {
        const sut = await make(numbers);
        for (const pause of pauses) {
          while ((await take(sut)).allowed);
          await sut.advance(pause);
        }
        while ((await take(sut)).allowed);
        const wait = Math.ceil((await take(sut)).retryMs);
        await sut.advance(wait - 1);
        expect((await take(sut)).allowed).toBe(false);
        await sut.advance(1);
        expect((await take(sut)).allowed).toBe(true);
      },
    );
    await expect(fc.assert(truthful, { numRuns: 50 })).resolves.toBeUndefined();
  });
}

function clockContract(algorithm: Algorithm, make: MakeStore): void {
  it('survives a clock that goes back: nothing more passes, and all is back in due time', async () => {
    const sut = await make(numbersOf(algorithm, 3, 1_000));
    await take(sut, 'a', 3);
    await sut.advance(-3_600_000);
    const refused = await take(sut);
    expect(refused.allowed).toBe(false);
    expect(refused.retryMs).toBeLessThanOrEqual(2_000);
    await sut.advance(2_000);
    expect(await passes(sut, 4)).toEqual([true, true, true, false]);
  });
}

interface Step {
  readonly kind: 'take' | 'refund' | 'advance';
  readonly key: string;
  readonly amount: number;
}

/** Plays the steps on store and model; a refund gives back the latest take of its key that is not given back. */
async function played(
  sut: StoreUnderTest,
  numbers: LimitNumbers,
  steps: readonly Step[],
): Promise<[seen: Spoken[], expected: Spoken[]]> {
  const model = modelOf(numbers);
  const [seen, expected]: [Spoken[], Spoken[]] = [[], []];
  const open: (Taken & { stamp: number })[] = [];
  for (const { kind, key, amount } of steps) {
    if (kind === 'advance') await sut.advance(amount);
    const at = sut.now();
    const last = open.findLastIndex((taken) => taken.key === key);
    if (kind === 'refund' && last >= 0) {
      const [taken] = open.splice(last, 1);
      model.refund(taken!, at);
      await sut.store.refund(key, taken!.cost, taken!.stamp);
    }
    if (kind !== 'take') continue;
    const cost = Math.min(amount, numbers.capacity);
    const { stamp, ...said } = await sut.store.take(key, cost, at);
    seen.push(said);
    expected.push(model.take(key, cost, at));
    if (said.allowed && cost > 0) open.push({ key, cost, at, stamp });
  }
  return [seen, expected];
}

function numbersOf(algorithm: Algorithm, requests: number, perMs: number, capacity = requests): LimitNumbers {
  return { algorithm, requests, perMs, capacity };
}

function take(sut: StoreUnderTest, key = 'a', cost = 1): Decision | Promise<Decision> {
  return sut.store.take(key, cost, sut.now());
}

async function passes(sut: StoreUnderTest, times: number): Promise<boolean[]> {
  const passed: boolean[] = [];
  for (let i = 0; i < times; i++) passed.push((await take(sut)).allowed);
  return passed;
}

function limitsOf(algorithm: Algorithm): fc.Arbitrary<LimitNumbers> {
  return algorithm === 'token_bucket' ? buckets : windows(algorithm);
}

const buckets: fc.Arbitrary<LimitNumbers> = fc.record({
  algorithm: fc.constant('token_bucket' as const),
  requests: fc.integer({ min: 1, max: 1_000 }),
  perMs: fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.constantFrom(1_000, 60_000, 3_600_000)),
  capacity: fc.integer({ min: 1, max: 20 }),
});

function windows(algorithm: Algorithm): fc.Arbitrary<LimitNumbers> {
  return fc
    .record({ requests: fc.integer({ min: 1, max: 20 }), perMs: fc.integer({ min: 1, max: 700 }) })
    .map(({ requests, perMs }) => numbersOf(algorithm, requests, perMs));
}

const step = fc.record({
  kind: fc.constantFrom('take', 'take', 'take', 'refund', 'advance'),
  key: fc.constantFrom('a', 'b'),
  amount: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 1_000 })),
}) as fc.Arbitrary<Step>;
