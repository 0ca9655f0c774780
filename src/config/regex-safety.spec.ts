import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { regexFault } from './regex-safety.js';

describe('regexFault', () => {
  it.each([
    '(a+)+$',
    '(a*)*',
    '(a|a)*$',
    '(a|ab|b)*$',
    '^(\\w+\\s?)*$',
    '([a-z]+)*[0-9]',
    '(.*)*x',
    '(a?b?)*c',
    '(?:x+x+)+y',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(.*a){12}',
    '(?=(a+)+$)b',
    '(?:\\d{1,3})+$',
    '(?<word>\\w|\\d)+!',
    '[^]*(?:\\x61|[a-c])*d',
  ])('%s can take exponential time', (source) => {
    expect(regexFault(source)).toContain('exponential');
  });

  it.each([
    'a*a*a*b',
    'a*a*b',
    '^a*a*a*b',
    '\\s*\\s*x',
    '^/old/(.*)/(.*)/(.*)/end$',
    'foo.*bar.*baz',
    '^a*b|c*c*d',
  ])('%s can take more than the square of the time', (source) => {
    expect(regexFault(source)).toContain('faster than the square');
  });

  it.each([
    '^/old/([^/]*)/([^/]*)/([^/]*)/end$',
    '^\\d+\\.\\d+\\.\\d+$',
    '^a*a*b',
    'foo.*bar',
    '^(.*)\\.(js|css)$',
    'Mobile|Android',
  ])('%s passes', (source) => {
    expect(regexFault(source)).toBeUndefined();
  });

  it.each([
    '^/old/(.*)$',
    '^Bearer .+$',
    '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$',
    '^(\\d{1,3}\\.){3}\\d{1,3}$',
    '([0-9a-f]{2}:?){6}',
    '(a|b)*c',
    '(?:ab|cd)+',
    '(a?)*',
    '^v[12]$',
    'a{2,5}',
    '[\\]\\-a-f]+',
    '^(?!admin).*$',
    '',
    '(?:)*',
    '\\bfoo\\b',
  ])('%s is fine', (source) => {
    expect(regexFault(source)).toBeUndefined();
  });

  it.each(['(', '[', 'a**', '(?<a>x)(?<a>y)', '\\'])('%s does not compile', (source) => {
    expect(regexFault(source)).toContain('does not compile');
  });

  it('refuses backreferences and giants', () => {
    expect(regexFault('(a)\\1')).toContain('backreference');
    expect(regexFault('a'.repeat(1001))).toContain('longer than');
    expect(regexFault(`(?:${'(?:a|b){3}'.repeat(70)})*`)).toContain('too complex');
  });

  it('judges any source at all in bounded time', () => {
    const signs = fc.constantFrom(...'ab.*+?|()[]{}^$\\-d1:=!<,2'.split(''));
    fc.assert(
      fc.property(fc.array(signs, { maxLength: 40 }), (parts) => {
        const fault = regexFault(parts.join(''));
        expect(['undefined', 'string']).toContain(typeof fault);
      }),
      { numRuns: 2000 },
    );
  });
});
