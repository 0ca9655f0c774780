import { describe, expect, it } from 'vitest';

import { RetryConfig } from '../../config/route.config.js';
import { compileRetry, type RetryPolicy } from './retry-policy.js';

const clock = { now: () => 0, wall: () => 0 };

function policy(config: Partial<RetryConfig> = {}, random: () => number = () => 0.5): RetryPolicy {
  return compileRetry(Object.assign(new RetryConfig(), config), { clock, random })!;
}

describe('compileRetry', () => {
  it('makes nothing of nothing', () => {
    expect(compileRetry(null, { clock, random: () => 0 })).toBeNull();
  });

  it('has the documented defaults', () => {
    const { attempts, maxBody, retries, repeats } = policy();
    expect([attempts, maxBody]).toEqual([3, 65_536]);
    expect([200, 404, 429, 500, 501, 502, 503, 504, 505].filter(retries)).toEqual([502, 503, 504]);
    expect(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'POST', 'PATCH', 'TRACE'].filter(repeats)).toEqual([
      'GET',
      'HEAD',
      'OPTIONS',
      'PUT',
      'DELETE',
    ]);
  });

  it('takes statuses and ranges, and only the methods listed', () => {
    const { retries, repeats } = policy({ statuses: [429, '500-503'], methods: ['POST'] });
    expect([428, 429, 430, 499, 500, 503, 504].filter(retries)).toEqual([429, 500, 503]);
    expect(['GET', 'POST', 'post'].filter(repeats)).toEqual(['POST']);
  });

  it('retries no status when none is listed', () => {
    const { retries } = policy({ statuses: [] });
    expect([200, 502, 503].filter(retries)).toEqual([]);
  });
});

describe('the backoff', () => {
  const exact = { jitter: false, backoff: '100ms', multiplier: 2, max_backoff: '1s' };

  it('grows by the multiplier up to its bound, exactly without jitter', () => {
    const { backoffMs } = policy(exact);
    expect([1, 2, 3, 4, 5, 6, 99].map(backoffMs)).toEqual([100, 200, 400, 800, 1_000, 1_000, 1_000]);
  });

  it('stays the same with a multiplier of 1, and never overflows', () => {
    expect([1, 50].map(policy({ ...exact, multiplier: 1 }).backoffMs)).toEqual([100, 100]);
    expect(policy({ ...exact, multiplier: 100 }).backoffMs(10_000)).toBe(1_000);
  });

  it('has full jitter: from nothing to the whole', () => {
    for (const random of [0, 0.25, 0.999]) {
      const { backoffMs } = policy({ ...exact, jitter: true }, () => random);
      expect([1, 2, 6].map(backoffMs)).toEqual([100 * random, 200 * random, 1_000 * random]);
    }
  });

  it('is drawn anew for each wait', () => {
    const draws = [0.1, 0.9];
    const { backoffMs } = policy({ ...exact, jitter: true }, () => draws.shift()!);
    expect([backoffMs(1), backoffMs(1)]).toEqual([10, 90]);
  });
});
