import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { QueryParameter } from './query-parameter.js';

const key = new QueryParameter('api_key');

describe('values', () => {
  it.each([
    ['', []],
    ['?', []],
    ['?a=1', []],
    ['?api_key=x', ['x']],
    ['?api_key', ['']],
    ['?api_key=', ['']],
    ['?api_key==x=', ['=x=']],
    ['?a=1&api_key=x&api_key=y', ['x', 'y']],
    ['?%61pi%5Fkey=%78%2B+%zz', ['x++%zz']],
    ['?api_keys=x&xapi_key=y&API_KEY=z', []],
    ['?a=api_key=x', []],
    ['?api_key=%C3%A9', ['\u00c3\u00a9']],
  ])('%s', (query, values) => {
    expect(key.values(query)).toEqual(values);
  });

  it('of a name outside ASCII', () => {
    expect(new QueryParameter('schlüssel').values('?schl%C3%BCssel=x')).toEqual(['x']);
  });
});

describe('without', () => {
  it.each([
    ['', ''],
    ['?', '?'],
    ['?a=1', '?a=1'],
    ['?api_key=x', ''],
    ['?a=1&api_key=x&b=2', '?a=1&b=2'],
    ['?api_key=x&api_key=y&', '?'],
    ['?&&a=%2f&%61pi_key=x', '?&&a=%2f'],
  ])('%s', (query, rest) => {
    expect(key.without(query)).toBe(rest);
  });

  const other = fc
    .stringMatching(/^[a-z0-9=%+;?/_-]{0,12}$/)
    .filter((piece) => key.values(`?${piece}`).length === 0);
  const name = fc.constantFrom('api_key', 'api%5Fkey', '%61pi_key', 'api_ke%79', '%61%70%69%5f%6b%65%79');
  const own = fc.tuple(name, fc.stringMatching(/^[a-zA-Z0-9+/=_-]{0,20}$/)).map((pair) => pair.join('='));

  it('leaves no trace of the parameter and every other byte', () => {
    const piece = fc.oneof(
      other.map((text) => ({ text, own: false })),
      own.map((text) => ({ text, own: true })),
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (all) => {
        const query = `?${all.map(({ text }) => text).join('&')}`;
        const rest = all.filter((each) => !each.own).map(({ text }) => text);
        const left = key.without(query);
        expect(left).toBe(rest.length === 0 ? '' : `?${rest.join('&')}`);
        expect(key.values(left)).toEqual([]);
        expect(key.values(query)).toHaveLength(all.length - rest.length);
      }),
    );
  });
});
