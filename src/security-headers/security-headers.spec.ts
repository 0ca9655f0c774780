import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { MissingLines } from './missing-lines.js';
import { compileSecurityHeaders } from './security-headers.js';

function completed(
  headers: string[],
  secure: boolean,
  own: boolean,
  config: Parameters<typeof compileSecurityHeaders>[0] = true,
) {
  const lines = [...headers];
  compileSecurityHeaders(config)?.complete(lines, secure, own);
  return lines;
}

const names = (lines: string[]): string[] => lines.filter((_, at) => at % 2 === 0);

describe('the standard', () => {
  it.each([
    [false, false, ['X-Content-Type-Options', 'X-Frame-Options', 'Referrer-Policy']],
    [
      true,
      false,
      ['Strict-Transport-Security', 'X-Content-Type-Options', 'X-Frame-Options', 'Referrer-Policy'],
    ],
    [
      false,
      true,
      ['X-Content-Type-Options', 'X-Frame-Options', 'Referrer-Policy', 'Content-Security-Policy'],
    ],
  ])('secure %s, own %s', (secure, own, expected) => {
    expect(names(completed([], secure, own))).toEqual(expected);
  });

  it('is one object for all routes', () => {
    expect(compileSecurityHeaders(true)).toBe(compileSecurityHeaders(true));
  });

  it('leaves what is there in its place', () => {
    const lines = completed(['Date', 'x', 'x-FRAME-options', 'SAMEORIGIN'], false, false);
    expect(lines.slice(0, 4)).toEqual(['Date', 'x', 'x-FRAME-options', 'SAMEORIGIN']);
    expect(names(lines.slice(4))).toEqual(['X-Content-Type-Options', 'Referrer-Policy']);
  });
});

describe('a map', () => {
  it('says HSTS over TLS alone', () => {
    const map = { 'strict-transport-security': 'max-age=1' };
    expect(completed([], false, true, map)).not.toContain('max-age=1');
    expect(completed([], true, false, map)).toContain('max-age=1');
  });

  it('that switches everything off compiles to nothing', () => {
    const off = Object.fromEntries(names(completed([], true, true)).map((name) => [name, false as const]));
    expect(compileSecurityHeaders(off)).toBeNull();
    expect(compileSecurityHeaders(false)).toBeNull();
  });

  it('is sent as UTF-8', () => {
    expect(completed([], false, false, { 'X-A': '日本' })).toContain(Buffer.from('日本').toString('latin1'));
  });
});

it('adds exactly the names that are missing, whatever else there is', () => {
  const name = fc.oneof(
    fc.constantFrom('X-Frame-Options', 'x-frame-options', 'REFERRER-POLICY', 'X-Response-Time'),
    fc.stringMatching(/^[a-zA-Z-]{1,70}$/),
  );
  const wanted = [
    ['X-Frame-Options', 'DENY'],
    ['Referrer-Policy', 'no-referrer'],
    ['X-B', '1'],
  ] as const;
  const lines = new MissingLines(wanted);
  fc.assert(
    fc.property(fc.array(name, { maxLength: 12 }), (present) => {
      const headers = present.flatMap((each) => [each, 'v']);
      lines.addTo(headers);
      const known = new Set(present.map((each) => each.toLowerCase()));
      const missing = wanted.filter(([each]) => !known.has(each.toLowerCase()));
      expect(headers).toEqual([...present.flatMap((each) => [each, 'v']), ...missing.flat()]);
    }),
  );
});
