import { describe, expect, it } from 'vitest';

import { RequestFields } from '../fields/request-fields.js';
import { isNotModified, isRangeWanted } from './conditions.js';
import { rangeOf } from './ranges.js';
import { storedWith } from './rules.fixture.js';

const MODIFIED = 'Sun, 06 Nov 1994 08:49:37 GMT';
const BEFORE = 'Sun, 06 Nov 1994 08:49:36 GMT';
const AFTER = 'Sun, 06 Nov 1994 08:49:38 GMT';
const stored = storedWith({ headers: ['ETag', '"a,b"', 'Last-Modified', MODIFIED] });

describe('conditions of the client (RFC 9111 §4.3.2)', () => {
  it.each([
    [['If-None-Match', '"a,b"'], true],
    [['If-None-Match', 'W/"a,b"'], true],
    [['If-None-Match', '"x", "a,b" ,"y"'], true],
    [['If-None-Match', '"x"', 'If-None-Match', '"a,b"'], true],
    [['If-None-Match', '*'], true],
    [['If-None-Match', '"a"'], false],
    [['If-None-Match', '"x"', 'If-Modified-Since', MODIFIED], false],
    [['If-Modified-Since', MODIFIED], true],
    [['If-Modified-Since', AFTER], true],
    [['If-Modified-Since', BEFORE], false],
    [['If-Modified-Since', 'Sunday, 06-Nov-94 08:49:37 GMT'], true],
    [['If-Modified-Since', 'x'], false],
    [[], false],
  ])('%j: %s', (lines, same) => {
    expect(isNotModified(stored, new RequestFields(lines), Date.UTC(2026, 1))).toBe(same);
  });

  it('are for what was found alone', () => {
    const gone = storedWith({ status: 404, headers: ['ETag', '"a"'] });
    expect(isNotModified(gone, new RequestFields(['If-None-Match', '"a"']), 0)).toBe(false);
  });

  it.each([
    ['"a,b"', true],
    ['W/"a,b"', false],
    ['"b"', false],
    [MODIFIED, true],
    [AFTER, false],
  ])('If-Range %j: %s (RFC 9110 §13.1.5)', (value, wanted) => {
    expect(isRangeWanted(stored, new RequestFields(['If-Range', value]))).toBe(wanted);
  });
});

describe('ranges (RFC 9110 §14.1.2)', () => {
  it.each([
    ['bytes=0-1', { first: 0, last: 1 }],
    ['bytes=9-', { first: 9, last: 9 }],
    ['Bytes=2-99', { first: 2, last: 9 }],
    ['bytes=-3', { first: 7, last: 9 }],
    ['bytes=-99', { first: 0, last: 9 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=5-4', null],
    ['bytes=0-1,3-4', null],
    ['bytes=-', null],
    ['lines=0-1', null],
  ])('%j of ten bytes', (value, range) => {
    expect(rangeOf(value, 10)).toEqual(range);
  });
});
