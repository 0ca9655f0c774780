import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { type Decision, newDecision } from '../limit.js';
import { TokenBucket } from './token-bucket.js';

interface Numbers {
  requests: number;
  perMs: number;
  capacity: number;
}

function run({ requests, perMs, capacity }: Numbers) {
  const bucket = new TokenBucket({ requests, perMs, capacity });
  let tat: number | undefined;
  return (now: number, cost = 1): Decision => {
    const decision = newDecision();
    tat = bucket.take(tat, cost, now, decision);
    return decision;
  };
}

const numbers = fc.record({
  requests: fc.integer({ min: 1, max: 100_000 }),
  perMs: fc.integer({ min: 1, max: 3_600_000 }),
  capacity: fc.integer({ min: 1, max: 50 }),
});
/** Gaps in eighths of a millisecond, as a clock with fractions gives them. */
const gaps = fc.array(
  fc.integer({ min: 0, max: 4_000 }).map((eighths) => eighths / 8),
  { minLength: 1, maxLength: 200 },
);

describe('TokenBucket', () => {
  it('passes all of an awkward fraction, to the last token', () => {
    const take = run({ requests: 999_983, perMs: 1_000, capacity: 999_983 });
    let passed = 0;
    while (take(123_456_789).allowed) passed++;
    expect(passed).toBe(999_983);
  });

  it('counts rates above one a millisecond by fractions of it', () => {
    const take = run({ requests: 4, perMs: 1, capacity: 1 });
    const passed = [0, 0.1, 0.25, 0.5, 0.6, 0.75, 1].filter((at) => take(1_000 + at).allowed);
    expect(passed).toEqual([0, 0.25, 0.5, 0.75, 1]);
  });

  it('never passes more than burst and refill allow, in any window', () => {
    fc.assert(
      fc.property(numbers, gaps, (limit, waits) => {
        const take = run(limit);
        let now = 5_000_000;
        const passed = waits.flatMap((wait) => (((now += wait), take(now).allowed) ? [now] : []));
        passed.forEach((from, first) => {
          passed.slice(first).forEach((to, more) => {
            // One token more: a window may open just before a refill.
            expect(more + 1).toBeLessThanOrEqual(
              limit.capacity + ((to - from) * limit.requests) / limit.perMs + 1,
            );
          });
        });
      }),
    );
  });

  it('tells the truth: after the whole seconds of the wait one request passes, and not much before it', () => {
    fc.assert(
      fc.property(numbers, gaps, (limit, waits) => {
        const take = run(limit);
        let now = 5_000_000;
        for (const wait of waits) {
          now += wait;
          const { allowed, retryMs } = take(now);
          if (allowed) continue;
          expect(take(now + retryMs - 1.001 * tick(limit)).allowed).toBe(false);
          now += Math.ceil(retryMs / 1_000) * 1_000;
          expect(take(now).allowed).toBe(true);
        }
      }),
    );
  });

  it('finds an empty bucket, and none that owes, when its clock went back', () => {
    const take = run({ requests: 1, perMs: 1_000, capacity: 2 });
    take(10_000);
    take(10_000);
    expect(take(7_000)).toMatchObject({ allowed: false, remaining: 0, resetMs: 2_000, retryMs: 1_000 });
    expect(take(11_000).allowed).toBe(true);
  });
});

/** The resolution of the limit's time, at most a millisecond. */
function tick({ requests, perMs }: Numbers): number {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  return divisor(requests, perMs) / requests;
}
