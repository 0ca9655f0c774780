import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { EditsConfig } from '../config/response.config.js';
import { contextOf, editsOf } from './edits.fixture.js';
import { compileQueryEdits } from './query-edits.js';

function edited(target: string, given: Partial<EditsConfig>, params: Record<string, string> = {}): string {
  return compileQueryEdits(editsOf(given), '/{id}')!(target, contextOf({ params }));
}

describe('compileQueryEdits', () => {
  it('is nothing without edits', () => {
    expect(compileQueryEdits(editsOf({}), '/')).toBeNull();
  });

  it.each<[string, Partial<EditsConfig>, string, string]>([
    ['adds to none', { add: { a: '1' } }, '/p', '/p?a=1'],
    ['adds to an empty query', { add: { a: '1' } }, '/p?', '/p?a=1'],
    ['adds to odd bytes', { add: { a: '1' } }, '/p?&&b+%zz?=', '/p?&&b+%zz?=&a=1'],
    [
      'encodes what it writes',
      { add: { "a b'": 'x&y=z+/€*!' } },
      '/',
      '/?a%20b%27=x%26y%3Dz%2B%2F%E2%82%AC%2A%21',
    ],
    ['sets the first, drops the others', { set: { d: 'n' } }, '/?c=1&d=1&e&d=2&f', '/?c=1&d=n&e&f'],
    ['sets at the end', { set: { d: 'n' } }, '/?c=1', '/?c=1&d=n'],
    ['removes by meaning', { remove: ['a b'] }, '/?x=%41&a+b=1&a%20b=2&%61%20b&ab=3', '/?x=%41&ab=3'],
    ['removes the last', { remove: ['a'] }, '/p?a=1', '/p'],
    ['removes nothing', { remove: ['b'] }, '/p?', '/p?'],
    ['knows names beyond ASCII', { remove: ['é'] }, '/?%C3%A9=1&\xc3\xa9=2&e=3', '/?e=3'],
    [
      'replaces where the pattern matches',
      { replace: [{ name: 'p', pattern: '^(\\d+) km$', replacement: '$1 000 m' }] },
      '/?p=5+km&p=%35%20mi&q=5+km&%70=6%20km',
      '/?p=5%20000%20m&p=%35%20mi&q=5+km&%70=6%20000%20m',
    ],
    [
      'replaces the value of a flag',
      { replace: [{ name: 'f', pattern: '^$', replacement: '1' }] },
      '/?f&f=',
      '/?f=1&f=1',
    ],
    [
      'removes, then replaces, then sets, then adds',
      {
        remove: ['r'],
        replace: [
          { name: 'r', pattern: '.', replacement: 'gone' },
          { name: 's', pattern: '1', replacement: '2' },
        ],
        set: { s: 'set' },
        add: { r: 'added', s: 'more' },
      },
      '/?r=1&s=1',
      '/?s=set&r=added&s=more',
    ],
  ])('%s', (_, given, before, after) => {
    expect(edited(before, given)).toBe(after);
  });

  it('leaves OPTIONS * alone', () => {
    expect(edited('*', { add: { a: '1' } })).toBe('*');
  });

  it('keeps values out of other parameters', () => {
    expect(edited('/', { set: { u: '{id}' } }, { id: 'x&admin=1#\r\n' })).toBe('/?u=x%26admin%3D1%23%0D%0A');
  });

  it('keeps the bytes of all it does not name, whatever they are', () => {
    const pair = fc.stringMatching(/^[!-"$%'-~]{0,12}$/);
    fc.assert(
      fc.property(fc.array(pair, { minLength: 1 }), fc.string({ unit: 'binary' }), (pairs, id) => {
        const query = pairs.join('&');
        const target = edited(`/p?${query}`, { remove: ['\0none'], set: { '\0own': '{id}' } }, { id });
        const own = target.slice(target.lastIndexOf('%00own='));
        expect(target).toBe(query === '' ? `/p?${own}` : `/p?${query}&${own}`);
        expect(new URLSearchParams(own).get('\0own')).toBe(id.toWellFormed());
      }),
    );
  });
});
