import { describe, expect, it } from 'vitest';

import { retryAfterMs } from './retry-after.js';

const NOW = Date.UTC(1994, 10, 6, 8, 49, 30);
const clock = { now: () => 0, wall: () => NOW };

function wait(...values: string[]): number {
  return retryAfterMs(
    values.flatMap((value) => ['Retry-After', value]),
    clock,
  );
}

describe('retryAfterMs', () => {
  it.each([
    ['seconds', '120', 120_000],
    ['no time at all', '0', 0],
    ['more than anybody waits', '99999999999999', 99_999_999_999_999_000],
    ['a date', 'Sun, 06 Nov 1994 08:49:37 GMT', 7_000],
    ['a date of RFC 850', 'Sunday, 06-Nov-94 08:49:37 GMT', 7_000],
    ['a date of asctime, which is GMT', 'Sun Nov  6 08:49:37 1994', 7_000],
    ['a date gone by', 'Sun, 06 Nov 1994 08:49:00 GMT', 0],
  ])('takes %s: %s', (_, value, expected) => {
    expect(wait(value)).toBe(expected);
  });

  it.each([
    [],
    [''],
    ['soon'],
    ['-5'],
    ['1.5'],
    ['1 s'],
    ['2099-01-01T00:00:00Z'],
    ['Sun, 99 Foo 2099'],
    ['10', '20'],
  ])('makes nothing of %j %s', (...values) => {
    expect(wait(...values)).toBe(0);
  });
});
