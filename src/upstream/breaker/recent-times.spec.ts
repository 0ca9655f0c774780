import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { RecentTimes } from './recent-times.js';

describe('RecentTimes', () => {
  it('has what a plain list of the latest ones within the window has', () => {
    const steps = fc.array(fc.record({ wait: fc.nat(30), atMost: fc.integer({ min: 1, max: 150 }) }), {
      maxLength: 600,
    });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 2_000 }), (moments, window) => {
        const times = new RecentTimes();
        let plain: number[] = [];
        let now = 0;
        for (const { wait, atMost } of moments) {
          now += wait;
          times.add(now, atMost);
          times.forgetBefore(now - window);
          plain = [...plain, now].slice(-atMost).filter((at) => at >= now - window);
          expect(times.size).toBe(plain.length);
        }
        times.clear();
        expect(times.size).toBe(0);
      }),
    );
  });
});
