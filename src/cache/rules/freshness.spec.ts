import { describe, expect, it } from 'vitest';

import type { CacheConfig } from '../../config/response.config.js';
import { ResponseFields } from '../fields/response-fields.js';
import { timingOf } from './freshness.js';
import { policyOf } from './rules.fixture.js';

const AT = Date.UTC(2026, 10, 30, 12);
const TIMES = { requestedAt: AT - 500, receivedAt: AT };
const date = (seconds: number): string => new Date(AT + seconds * 1000).toUTCString();

function timing(lines: string[], status = 200, config: Partial<CacheConfig> = {}) {
  return timingOf(status, new ResponseFields(lines), policyOf(config), TIMES);
}

describe('freshness lifetime (RFC 9111 §4.2.1)', () => {
  it.each([
    [[], 60],
    [['Cache-Control', 'max-age=5'], 5],
    [['Cache-Control', 'max-age=5, s-maxage=7'], 7],
    [['Cache-Control', 's-maxage=0', 'Cache-Control', 'max-age=9'], 0],
    [['Cache-Control', 'max-age=5', 'Expires', date(-100)], 5],
    [['Expires', date(30), 'Date', date(10)], 20],
    [['Expires', date(30)], 30],
    [['Expires', date(30), 'Date', 'never'], 30],
    [['Expires', date(-30)], 0],
    [['Expires', '0'], 0],
    [['Expires', date(30), 'Expires', date(5)], 5],
    [['Last-Modified', date(-1000)], 60],
  ])('%j is %i s', (lines, seconds) => {
    expect(timing(lines)?.freshMs).toBe(seconds * 1000);
  });

  it('is the ttl for its statuses alone, and nobody guesses', () => {
    expect(timing(['Last-Modified', date(-1000)], 404)).toBeNull();
    expect(timing([], 404, { statuses: [200, 404], ttl: '1s' })?.freshMs).toBe(1000);
    expect(timing(['Cache-Control', 'max-age=9'], 404)?.freshMs).toBe(9000);
  });

  it('is the ttl whatever the answer says, where headers do not count', () => {
    const config = { respect_headers: false, stale_if_error: '1s' };
    const lines = ['Cache-Control', 'max-age=9, stale-if-error=99, must-revalidate'];
    expect(timing(lines, 200, config)).toMatchObject({
      freshMs: 60_000,
      staleIfErrorMs: 1000,
      neverStale: true,
    });
    expect(timing(lines, 404, config)).toBeNull();
  });
});

describe('age (RFC 9111 §4.2.3)', () => {
  it.each([
    [[], 500],
    [['Age', '10'], 10_500],
    [['Date', date(-20)], 20_000],
    [['Date', date(20), 'Age', '3'], 3500],
    [['Date', date(-20), 'Age', '30'], 30_500],
  ])('%j is %i ms at once', (lines, ms) => {
    expect(AT - timing(lines)!.bornAt).toBe(ms);
  });

  it.each(['abc', '-1', '7200.0', '0, 0', '1;a=b', ''])('%j is older than anything', (age) => {
    expect(AT - timing(['Age', age, 'Cache-Control', 'max-age=2147483647'])!.bornAt).toBeGreaterThan(
      2 ** 31 * 1000,
    );
  });
});

describe('what a stale answer may be used for', () => {
  it.each([
    ['must-revalidate', { neverStale: true, shared: true }],
    ['proxy-revalidate', { neverStale: true, shared: false }],
    ['s-maxage=5', { neverStale: true, shared: true }],
    ['public', { neverStale: false, shared: true }],
    ['no-cache', { alwaysValidate: true }],
    ['no-cache="x-a"', { alwaysValidate: false }],
    ['stale-while-revalidate=4, stale-if-error=5', { staleWhileRevalidateMs: 4000, staleIfErrorMs: 5000 }],
    ['max-age=1', { staleWhileRevalidateMs: 2000, staleIfErrorMs: 3000 }],
  ])('%j: %j', (control, expected) => {
    const config = { stale_while_revalidate: '2s', stale_if_error: '3s' };
    expect(timing(['Cache-Control', control], 200, config)).toMatchObject(expected);
  });
});
