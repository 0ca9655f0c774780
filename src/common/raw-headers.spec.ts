import { describe, expect, it } from 'vitest';

import { indexOfHeader, joinedHeader, linesWithout, removeLines, soleHeader } from './raw-headers.js';

const RAW = ['Host', 'a', 'X-Key', 'origin', 'ORIGIN', 'https://a', 'x-key', '2'];

describe('indexOfHeader', () => {
  it('compares names without case, and never values', () => {
    expect(indexOfHeader(RAW, 'origin')).toBe(4);
    expect(indexOfHeader(RAW, 'x-key')).toBe(2);
    expect(indexOfHeader(RAW, 'x-ke')).toBe(-1);
  });

  it('goes on from an index', () => {
    expect(indexOfHeader(RAW, 'x-key', 4)).toBe(6);
    expect(indexOfHeader(RAW, 'x-key', 8)).toBe(-1);
  });
});

it('soleHeader is the value of a line that stands alone', () => {
  expect(soleHeader(RAW, 'host')).toBe('a');
  expect(soleHeader(RAW, 'x-key')).toBeNull();
  expect(soleHeader(RAW, 'cookie')).toBeNull();
});

it('joinedHeader is the value of all lines of a name', () => {
  expect(joinedHeader(RAW, 'host')).toBe('a');
  expect(joinedHeader(RAW, 'x-key')).toBe('origin, 2');
  expect(joinedHeader(RAW, 'cookie')).toBeNull();
});

it('linesWithout leaves the list as it is; removeLines does not', () => {
  const names = new Set(['x-key', 'host']);
  const rest = ['ORIGIN', 'https://a'];
  const lines = RAW.slice();
  expect(linesWithout(lines, names)).toEqual(rest);
  expect(lines).toEqual(RAW);
  removeLines(lines, names);
  expect(lines).toEqual(rest);
});
