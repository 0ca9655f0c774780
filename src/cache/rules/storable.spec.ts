import { describe, expect, it } from 'vitest';

import { ResponseFields } from '../fields/response-fields.js';
import { policyOf } from './rules.fixture.js';
import { storableTiming } from './storable.js';

const times = { requestedAt: 1000, receivedAt: 1000 };

function isStored(
  status: number,
  lines: string[],
  isCredentialed = false,
  contentLength = 10,
  isPartial = false,
): boolean {
  const facts = { policy: policyOf(), isCredentialed, isPartial, times };
  return storableTiming({ status, contentLength }, new ResponseFields(lines), facts) !== null;
}

const cc = (value: string): string[] => ['Cache-Control', value];

describe('storing (RFC 9111 §3)', () => {
  it.each([
    [200, [], true],
    [404, [], false],
    [404, cc('max-age=1'), true],
    [599, cc('max-age=1'), true],
    [599, cc('max-age=1, must-understand'), false],
    [200, cc('no-store, must-understand, max-age=1'), true],
    [206, cc('max-age=1'), false],
    [304, cc('max-age=1'), false],
    [412, cc('public, max-age=1'), false],
    [416, cc('public, max-age=1'), false],
    [200, cc('no-store'), false],
    [200, cc('private'), false],
    [200, cc('private="x-a"'), true],
    [200, [...cc('max-age=0')], false],
    [200, [...cc('max-age=0'), 'ETag', '"1"'], true],
    [200, [...cc('max-age=0'), 'Last-Modified', 'x'], true],
    [200, cc('max-age=0, stale-while-revalidate=5'), true],
    [200, cc('no-cache'), false],
    [200, [...cc('no-cache'), 'ETag', '"1"'], true],
    [200, ['Set-Cookie', 'a=1', ...cc('public, max-age=9')], false],
    [200, ['Vary', 'a, b'], true],
    [200, ['Vary', 'a', 'Vary', ' * '], false],
    [200, ['Content-Type', 'Text/Event-Stream; charset=utf-8'], false],
  ])('%i with %j: %s', (status, lines, stored) => {
    expect(isStored(status, lines)).toBe(stored);
  });

  it.each([
    ['max-age=5', false],
    ['public', true],
    ['s-maxage=5', true],
    ['must-revalidate', true],
    ['proxy-revalidate', false],
    ['public, no-store', false],
  ])('after a request with credentials: %j: %s (§3.5)', (control, stored) => {
    expect(isStored(200, cc(control), true)).toBe(stored);
  });

  it('is not for errors that may be about a condition or a range alone', () => {
    const stored = [200, 301, 400, 404, 500].map((status) =>
      isStored(status, cc('max-age=1'), false, 10, true),
    );
    expect(stored).toEqual([true, true, false, false, false]);
  });

  it('is not for what is announced to be too long', () => {
    expect([isStored(200, [], false, 1024 ** 2), isStored(200, [], false, 1024 ** 2 + 1)]).toEqual([
      true,
      false,
    ]);
  });
});
