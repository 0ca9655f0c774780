import { describe, expect, it } from 'vitest';

import type { MatchRequest } from '../exchange/snapshot.js';
import { compileConditions } from './conditions.js';

function holds(
  config: { headers?: Record<string, string>; query?: Record<string, string> },
  request: Partial<MatchRequest>,
): boolean {
  const conditions = compileConditions({ headers: {}, query: {}, ...config });
  const full = { method: 'GET', path: '/', host: null, headers: {}, query: '', ...request };
  return conditions.every((condition) => condition.holds(full));
}

describe('header conditions', () => {
  it.each([
    ['v', 'v', true],
    ['v', 'V', false],
    ['v', 'v, w', false],
    ['/^v\\d+$/', 'v12', true],
    ['/^v\\d+$/', 'xv12', false],
    ['/v/', 'xvx', true],
    ['//', 'anything', true],
    ['/', '/', true],
    ['/', 'x', false],
    ['/a', '/a', true],
  ])('%s of %s: %s', (expected, value, result) => {
    expect(holds({ headers: { 'X-Kind': expected } }, { headers: { 'x-kind': value } })).toBe(result);
  });

  it('must all hold, and fail for headers that are not there', () => {
    const headers = { a: '1', b: '2' };
    expect(holds({ headers }, { headers: { a: '1', b: '2' } })).toBe(true);
    expect(holds({ headers }, { headers: { a: '1' } })).toBe(false);
    expect(holds({ headers: { a: '/.*/' } }, {})).toBe(false);
    expect(holds({ headers: { constructor: '/./' } }, {})).toBe(false);
    expect(holds({ headers: { __proto__x: '/./', toString: '/./' } }, {})).toBe(false);
  });

  it('see lists joined', () => {
    expect(holds({ headers: { 'set-cookie': 'a, b' } }, { headers: { 'set-cookie': ['a', 'b'] } })).toBe(
      true,
    );
  });

  it('refuse a bad expression when compiled', () => {
    expect(() => holds({ headers: { a: '/(/' } }, {})).toThrow(SyntaxError);
  });
});

describe('query conditions', () => {
  it.each([
    ['v', '?k=v', true],
    ['v', '?k=w', false],
    ['v', '?k=w&k=v', true],
    ['v', '?%6b=%76', true],
    ['a b', '?k=a+b', true],
    ['a b', '?k=a%20b', true],
    ['%zz', '?k=%zz', true],
    ['', '?k', true],
    ['', '?k=', true],
    ['', '?', false],
    ['', '', false],
    ['v', '?K=v', false],
    ['/^[0-9]+$/', '?k=x&k=12', true],
    ['v=w', '?k=v=w', true],
  ])('%s of %s: %s', (expected, query, result) => {
    expect(holds({ query: { k: expected } }, { query })).toBe(result);
  });

  it('of different requests do not see each other', () => {
    expect(holds({ query: { k: '1' } }, { query: '?k=1' })).toBe(true);
    expect(holds({ query: { k: '1' } }, { query: '?k=2' })).toBe(false);
    expect(holds({ query: { k: '1' } }, { query: '?k=1' })).toBe(true);
  });
});
