import { describe, expect, it } from 'vitest';

import { editDistance, nearest } from './edit-distance.js';

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['a', '', 1],
    ['strip_prefx', 'strip_prefix', 1],
    ['prot', 'port', 1],
    ['kitten', 'sitting', 3],
  ])('%s to %s is %i', (a, b, expected) => {
    expect(editDistance(a, b)).toBe(expected);
    expect(editDistance(b, a)).toBe(expected);
  });
});

describe('nearest', () => {
  const known = ['timeout', 'timeouts', 'upstream', 'rate_limit'];
  it.each([
    ['timout', 'timeout'],
    ['Upstream', 'upstream'],
    ['ratelimit', 'rate_limit'],
    ['colour', undefined],
    ['x', undefined],
  ])('%s → %s', (word, expected) => {
    expect(nearest(word, known)).toBe(expected);
  });
});
