import { describe, expect, it } from 'vitest';

import { ResponseFields } from '../fields/response-fields.js';
import { policyOf, storedWith } from './rules.fixture.js';
import { freshened, storedFrom, withoutVariant, withVariant } from './stored.js';
import { isSelected, selectedBy } from './vary.js';

const times = { requestedAt: 5000, receivedAt: 5000 };
const about = { key: 'k', route: 'r', path: '/a', group: 'h/a' };
const DATE = 'Thu, 01 Jan 1970 00:00:05 GMT';

describe('a stored answer', () => {
  it('has a date and a length, and not what is for one client or one hop', () => {
    const lines = ['Age', '3', 'X-Cache', 'HIT', 'X-A', '1', 'x-a', '2', 'X-B', '3', 'Trailer', 'X-Sum'];
    const fields = new ResponseFields(['Cache-Control', 'no-cache="x-b"']);
    const answer = {
      status: 200,
      statusText: 'OK',
      lines,
      body: Buffer.from('abc'),
      vary: [],
      receivedAt: 5000,
    };
    const { headers } = storedFrom(answer, fields, storedWith());
    expect(headers).toEqual(['X-A', '1', 'x-a', '2', 'Date', DATE, 'Content-Length', '3']);
  });

  it('takes the fields of a 304 over, but for those of its body (RFC 9111 §3.2)', () => {
    const before = ['ETag', '"1"', 'X-A', '1', 'X-B', '1', 'Content-Length', '3', 'Date', 'old'];
    const news = [
      'ETag',
      '"2"',
      'x-a',
      '2',
      'Content-Length',
      '0',
      'Cache-Control',
      'max-age=9',
      'Set-Cookie',
      'a=1',
    ];
    const fresh = freshened(storedWith({ headers: before }), { lines: news, asked: [] }, policyOf(), times)!;
    expect(fresh.headers).toEqual([
      'ETag',
      '"1"',
      'X-B',
      '1',
      'Content-Length',
      '3',
      'x-a',
      '2',
      'Cache-Control',
      'max-age=9',
      'Date',
      DATE,
    ]);
    expect([fresh.bornAt, fresh.freshMs]).toEqual([5000, 9000]);
    for (const line of [
      ['Cache-Control', 'no-store'],
      ['Vary', 'x-a, *'],
    ])
      expect(freshened(storedWith(), { lines: line, asked: [] }, policyOf(), times)).toBeNull();
  });

  it('keeps nothing of a 304 that is for one client, and varies as it says', () => {
    const stored = storedWith({ headers: ['X-User', 'all', 'Vary', 'X-A'], vary: ['x-a', '1'] });
    const lines = ['Cache-Control', 'max-age=9, private="x-user"', 'X-User', 'alice', 'Vary', 'X-B'];
    const fresh = freshened(stored, { lines, asked: ['X-A', '1', 'X-B', '2'] }, policyOf(), times)!;
    expect(fresh.headers).not.toContain('X-User');
    expect(fresh.vary).toEqual(['x-b', '2']);
    const set = withVariant(withVariant(null, stored, about), fresh, about, stored);
    expect(set.variants).toEqual([fresh]);
    const same = freshened(stored, { lines: [], asked: [] }, policyOf(), times)!;
    expect(same.vary).toEqual(['x-a', '1']);
  });

  it('stands once for each variant, the newest first, with its size', () => {
    const en = storedWith({ vary: ['accept-language', 'en'] });
    const de = storedWith({ vary: ['accept-language', 'de'], body: Buffer.alloc(5000) });
    const both = withVariant(withVariant(null, en, about), de, about);
    expect(both.variants).toEqual([de, en]);
    expect(both.bytes).toBeGreaterThan(5010);
    const again = withVariant(both, { ...en, bornAt: 7 }, about);
    expect(again.variants.map(({ bornAt }) => bornAt)).toEqual([7, 0]);
    expect(withoutVariant(again, de, about)!.variants).toHaveLength(1);
    expect(withoutVariant(withVariant(null, en, about), en, about)).toBeNull();
    let many = both;
    for (let at = 0; at < 40; at++) many = withVariant(many, storedWith({ vary: ['x', String(at)] }), about);
    expect(many.variants).toHaveLength(32);
  });
});

describe('Vary (RFC 9111 §4.1)', () => {
  it.each([
    ['Accept-Language', ['Accept-Language', 'de, en;q=0.5'], ['accept-language', 'DE ,en; q=0.5'], true],
    ['Accept-Language', ['Accept-Language', 'de'], ['Accept-Language', 'en'], false],
    ['Accept-Language', ['Accept-Language', 'de'], [], false],
    ['X-A', [], ['X-A', ''], false],
    ['X-A, X-B', ['X-A', '1'], ['X-A', '1', 'X-C', '1'], true],
    ['X-A', ['X-A', '1', 'X-A', '2'], ['x-a', '1,2'], true],
    ['X-A', ['X-A', 'a'], ['X-A', 'A'], false],
    ['', ['X-A', '1'], [], true],
  ])('%j: stored for %j, asked for with %j: %s', (vary, before, now, selected) => {
    const stored = storedWith({ vary: selectedBy(vary, before) });
    expect(isSelected(stored, () => now)).toBe(selected);
  });
});
