import { describe, expect, it } from 'vitest';

import { Refusal } from '../../exchange/refusal.js';
import { bearerToken } from './bearer-token.js';

describe('the bearer token', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bEARER abc', 'abc'],
    ['Bearer   abc', 'abc'],
    ['Bearer a b', 'a b'],
    ['Bearer', null],
    ['Bearer ', null],
    ['Bearerabc', null],
    ['Basic abc', null],
    ['xBearer abc', null],
    [' Bearer abc', null],
    ['Bearer\tabc', null],
    ['', null],
  ])('of %j is %j', (value, token) => {
    expect(bearerToken(['Host', 'a', 'aUTHORIZATION', value])).toBe(token);
  });

  it('is none without the header', () => {
    expect(bearerToken(['Host', 'a', 'X-Authorization', 'Bearer a'])).toBeNull();
    expect(bearerToken([])).toBeNull();
  });

  it('is refused in two lines', () => {
    const lines = ['Authorization', 'Basic a', 'X', 'y', 'authorization', 'Bearer b'];
    expect(() => bearerToken(lines)).toThrow(Refusal);
  });
});
