import { describe, expect, it } from 'vitest';

import { parseCacheControl } from '../fields/cache-control.js';
import { storedWith } from './rules.fixture.js';
import { mayCoverErrors, verdictOf } from './verdict.js';

describe('a stored answer that is fresh for 10 s, at an age', () => {
  it.each([
    [5, '', {}, 'fresh'],
    [10, '', {}, 'validate'],
    [5, 'no-cache', {}, 'asked'],
    [5, 'max-age=0', {}, 'asked'],
    [0, 'max-age=0', {}, 'asked'],
    [5, 'max-age=4', {}, 'asked'],
    [5, 'max-age=5', {}, 'fresh'],
    [5, 'min-fresh=5', {}, 'fresh'],
    [5, 'min-fresh=6', {}, 'asked'],
    [5, 'only-if-cached', {}, 'fresh'],
    [15, 'max-stale', {}, 'stale'],
    [15, 'max-stale=5', {}, 'stale'],
    [15, 'max-stale=4', {}, 'validate'],
    [15, 'max-stale', { neverStale: true }, 'validate'],
    [5, '', { alwaysValidate: true }, 'validate'],
    [15, '', { staleWhileRevalidateMs: 6000 }, 'refresh'],
    [16, '', { staleWhileRevalidateMs: 6000 }, 'validate'],
    [15, '', { staleWhileRevalidateMs: 6000, neverStale: true }, 'validate'],
    [15, 'max-age=10', { staleWhileRevalidateMs: 6000 }, 'asked'],
  ] as const)('of %i s, asked for with %j and %j: %s (RFC 9111 §5.2.1)', (age, control, changes, verdict) => {
    const said = control === '' ? null : parseCacheControl(control);
    expect(verdictOf(storedWith(changes), age * 1000, said)).toBe(verdict);
  });

  it.each([
    [12, {}, '', false],
    [12, { staleIfErrorMs: 3000 }, '', true],
    [13, { staleIfErrorMs: 3000 }, '', false],
    [12, { staleIfErrorMs: 3000, neverStale: true }, '', false],
    [12, { staleIfErrorMs: 3000, alwaysValidate: true }, '', false],
    [12, { staleIfErrorMs: 3000 }, 'no-cache', false],
  ])('of %i s and %j with %j covers errors: %s (RFC 5861 §4)', (age, changes, control, covers) => {
    const said = control === '' ? null : parseCacheControl(control);
    expect(mayCoverErrors(storedWith(changes), age * 1000, said)).toBe(covers);
  });
});
