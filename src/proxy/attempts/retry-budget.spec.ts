import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { SlidingRetryBudget } from './retry-budget.js';

/** The budget as it is documented: everything that happened, with its time. */
class NaiveBudget {
  readonly requests: number[] = [];
  readonly retries: number[] = [];

  static within(times: readonly number[], now: number, ms: number): number {
    return times.filter((time) => time > now - ms).length;
  }

  /** Whether one more retry keeps the bound, looking back so far on either. */
  allows(share: number, now: number, requestsMs: number, retriesMs: number): boolean {
    const retries = NaiveBudget.within(this.retries, now, retriesMs) + 1;
    return retries <= share * NaiveBudget.within(this.requests, now, requestsMs);
  }

  /** Whether 3 a second are not used up. */
  hasMinimum(now: number): boolean {
    return NaiveBudget.within(this.retries, now, 10_000) < 30;
  }
}

function budgetAt(share: number, start = 0) {
  const time = { ms: start };
  const budget = new SlidingRetryBudget(share, { now: () => time.ms, wall: () => 0 });
  const many = (what: () => unknown, times: number): number =>
    Array.from({ length: times }, what).filter(Boolean).length;
  return {
    time,
    budget,
    requests: (count: number) => void many(() => budget.request(), count),
    taken: (tries: number) => many(() => budget.take(), tries),
  };
}

describe('the budget of retries', () => {
  it('always has 30 in 10 s, to the millisecond', () => {
    for (const share of [0, 0.2, 1]) {
      const { time, taken } = budgetAt(share, 123_456.7);
      expect(taken(40)).toBe(30);
      time.ms += 9_999;
      expect(taken(40)).toBe(0);
      time.ms += 1;
      expect(taken(40)).toBe(30);
    }
  });

  it('is a share of the requests where that is more', () => {
    const { time, requests, taken } = budgetAt(0.2);
    requests(1_000);
    expect(taken(1_000)).toBe(200);
    time.ms += 5_000;
    requests(100);
    expect(taken(1_000)).toBe(20);
  });

  it('forgets what is older than 10 s, and what came before a long rest', () => {
    for (const rest of [10_100, 3_600_000]) {
      const { time, requests, taken } = budgetAt(0.5, 77);
      requests(1_000);
      time.ms += rest;
      expect(taken(100)).toBe(30);
      requests(200);
      expect(taken(200)).toBe(70);
    }
  });

  it('counts each retry once for the requests that began in the same 10 s', () => {
    const { time, requests, taken } = budgetAt(0.1);
    let begun = 0;
    for (let at = 0; at < 60_000; at += 10) {
      requests(10);
      begun += taken(10);
      time.ms += 10;
    }
    expect(begun).toBeGreaterThan(0.097 * 60_000);
    expect(begun).toBeLessThanOrEqual(0.1 * 60_000);
  });

  it('never exceeds a naive count, and withholds no more than a hundredth of the time', () => {
    const step = fc.record({
      wait: fc.oneof(
        fc.constant(0),
        fc.double({ min: 0, max: 400, noNaN: true }),
        fc.integer({ max: 12_000, min: 0 }),
      ),
      requests: fc.nat({ max: 300 }),
      tries: fc.nat({ max: 90 }),
    });
    const settings = fc.record({ share: fc.integer({ min: 0, max: 100 }), start: fc.nat({ max: 1e9 }) });
    fc.assert(
      fc.property(settings, fc.array(step, { maxLength: 40 }), ({ share: percent, start }, steps) => {
        const share = percent / 100;
        const { time, budget } = budgetAt(share, start);
        const naive = new NaiveBudget();
        for (const { wait, requests, tries } of steps) {
          time.ms += wait;
          const now = time.ms;
          for (let n = 0; n < requests; n++) {
            budget.request();
            naive.requests.push(now);
          }
          for (let n = 0; n < tries; n++) {
            const must = naive.hasMinimum(now) || naive.allows(share, now, 9_900, 10_100);
            const may = naive.hasMinimum(now) || naive.allows(share, now, 10_000, 10_000);
            const taken = budget.take();
            // Between the two the slices decide.
            expect({ must, taken, may }).toEqual({ must: must && taken, taken: taken && may, may });
            if (taken) naive.retries.push(now);
          }
        }
      }),
    );
  });
});
