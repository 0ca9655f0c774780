import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { parseRoutePath, pathShape } from './route-path.js';

const texts = (path: string): string[] =>
  parseRoutePath(path).segments.map((segment) =>
    'literal' in segment ? segment.literal : `<${segment.param}>`,
  );

describe('parseRoutePath', () => {
  it.each([
    ['/', []],
    ['/api/users', ['api', 'users']],
    ['/api/users/', ['api', 'users']],
    ['/a/:id/{name}', ['a', '<id>', '<name>']],
    ['/v1/users:batch', ['v1', 'users:batch']],
    ['/%61b%2fc%7e', ['ab%2Fc~']],
    ['/%2561', ['%2561']],
    ['/käse', ['k%C3%A4se']],
    ['/a;v=1', ['a;v=1']],
    ['/a|b^', ['a%7Cb%5E']],
    ['/...', ['...']],
  ])('%s', (path, expected) => {
    expect(texts(path)).toEqual(expected);
  });

  it.each([
    ['api', 'does not begin with /'],
    ['', 'does not begin with /'],
    ['/a?x=1', 'holds a query'],
    ['/a#b', 'holds a fragment'],
    ['/a\\b', 'holds a backslash'],
    ['/a b', 'white space'],
    ['/a%zz', 'broken escape'],
    ['/a%2', 'broken escape'],
    ['/a%00', 'control character'],
    ['/a//b', 'empty segment'],
    ['//', 'empty segment'],
    ['/a/../b', '. or ..'],
    ['/a/%2e%2E/b', '. or ..'],
    ['/a/.;x/b', '. or ..'],
    ['/a/..%3bx', '. or ..'],
    ['/%c0%af', 'overlong'],
    ['/%e0%80%af', 'overlong'],
    ['/a/x%2f..', '. or ..'],
    ['/a/x%5C..', '. or ..'],
    ['/:1d', 'bad parameter name'],
    ['/{}', 'bad parameter name'],
    ['/{a-b}', 'bad parameter name'],
    ['/a{b}', 'whole segment'],
    ['/:id/{id}', 'a parameter twice'],
    ['/api/*', 'wildcard'],
    ['/\ud800', 'half a character'],
  ])('refuses %s', (path, message) => {
    expect(() => parseRoutePath(path)).toThrow(RangeError);
    expect(() => parseRoutePath(path)).toThrow(message);
  });

  it('keeps a trailing slash for exact routes alone', () => {
    expect(parseRoutePath('/a/').trailingSlash).toBe(true);
    expect(parseRoutePath('/').trailingSlash).toBe(false);
    expect(pathShape(parseRoutePath('/a/'), false)).toBe('/a');
    expect(pathShape(parseRoutePath('/a/'), true)).toBe('/a/');
    expect(pathShape(parseRoutePath('/a/{x}'), false)).toBe(pathShape(parseRoutePath('/a/:y'), false));
  });
});

describe('literals of a path', () => {
  it('are in canonical form: read again they are the same', () => {
    const signs = fc.constantFrom(...'ab.~%/2fFcC0_5|;{}:^öé😀A'.split(''), '%2e', '%C3%A9', '%c0%af', '%41');
    fc.assert(
      fc.property(fc.array(signs, { maxLength: 12 }), (parts) => {
        const path = `/${parts.join('')}`;
        for (const literal of literalsOf(path)) expect(literalsOf(`/${literal}`)).toEqual([literal]);
      }),
      { numRuns: 2000 },
    );
  });
});

function literalsOf(path: string): string[] {
  try {
    return texts(path).filter((text) => !text.startsWith('<') && !text.startsWith(':'));
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}
