import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { canonicalSegment, canonicalTarget, decodeSegment } from './canonical-path.js';

const pathOf = (target: string): string | undefined => canonicalTarget(target)?.path;

describe('canonicalTarget', () => {
  it.each([
    ['/', '/'],
    ['/api/users', '/api/users'],
    ['/api/users/', '/api/users/'],
    ['//', '//'],
    ['/a//b', '/a//b'],
    ['/%61%7Eb', '/a~b'],
    ['/a%2eb', '/a.b'],
    ['/grp%2Fsvc/a%2Eb', '/grp%2Fsvc/a.b'],
    ['/@types%2fcors', '/@types%2Fcors'],
    ['/a%2520b', '/a%2520b'],
    ['/%252e%252e/x', '/%252e%252e/x'],
    ['/100%25', '/100%25'],
    ['/%3Fx%23y', '/%3Fx%23y'],
    ['/a;v=1/b', '/a;v=1/b'],
    ["/a!$&'()*+,;=:@b", "/a!$&'()*+,;=:@b"],
    ['/a\\b', '/a%5Cb'],
    ['/{a}|"<>^`[b]', '/%7Ba%7D%7C%22%3C%3E%5E%60%5Bb%5D'],
    ['/gr\u00c3\u00b6\u00c3\u009fe', '/gr%C3%B6%C3%9Fe'],
    ['/%E9t%e9', '/%E9t%E9'],
    ['/%C0propos', '/%C0propos'],
    ['/...', '/...'],
    ['/.well-known/x', '/.well-known/x'],
    ['/a./b', '/a./b'],
    ['/..a/b', '/..a/b'],
    ['/a..b/', '/a..b/'],
    ['/a;../b', '/a;../b'],
    ['/a%2F.b', '/a%2F.b'],
  ])('the path of %s is %s', (target, path) => {
    expect(pathOf(target)).toBe(path);
  });

  it.each([
    '/.',
    '/..',
    '/./a',
    '/a/.',
    '/a/./b',
    '/public/../admin',
    '/public/%2e%2e/admin',
    '/public/.%2E/admin',
    '/public/%2e%2e%2fadmin',
    '/public/..;/admin',
    '/public/.;x=1/admin',
    '/public/..%3B/admin',
    '/public/%2e%2e%3bx/admin',
    '/public/..%5cadmin',
    '/public/..\\admin',
    '/public\\..\\admin',
    '/a%2F..%2Fb',
    '/a%2f%2E%2e',
    '/a%5C.%5Cb',
    '/a/..?x=1',
  ])('refuses the dot segment in %s', (target) => {
    expect(canonicalTarget(target)).toBeNull();
  });

  it.each([
    '',
    '*',
    'a',
    'api/users',
    '?x=1',
    '/p/%zz',
    '/p/%',
    '/p/%2',
    '/p/%2g/x',
    '/p/%c0%af',
    '/p/%c1%9c',
    '/p/%e0%80%af',
    '/p/%f0%80%80%af',
    '/p/\u00c0\u00af',
    '/p/%00',
    '/p/%0d%0a',
    '/p/%1F',
    '/p/%7f',
    '/p/\u0000',
    '/p/\t',
    '/p/a b',
    '/p/\u007f',
    '/p/\u0100',
    '/public#/../admin',
    '/p?x#y',
    '/p?x\u0000',
    '/p?x y',
    '/p?\u0100',
  ])('refuses %j', (target) => {
    expect(canonicalTarget(target)).toBeNull();
  });

  it('keeps the bytes of path and query apart from the canonical path', () => {
    expect(canonicalTarget('/gl/grp%2fsvc/a%2Eb?ref=x%2Fy&r=//e/../?#'.slice(0, -1))).toEqual({
      path: '/gl/grp%2Fsvc/a.b',
      rawPath: '/gl/grp%2fsvc/a%2Eb',
      query: '?ref=x%2Fy&r=//e/../?',
      authority: null,
      originForm: '/gl/grp%2fsvc/a%2Eb?ref=x%2Fy&r=//e/../?',
    });
  });

  it('leaves escapes in the query alone, broken ones too', () => {
    expect(canonicalTarget('/p?q=100%&n=%00&e=\u00c3\u00b6')?.query).toBe('?q=100%&n=%00&e=\u00c3\u00b6');
  });

  it('tells an empty query from none', () => {
    expect(canonicalTarget('/p?')?.query).toBe('?');
    expect(canonicalTarget('/p')?.query).toBe('');
  });

  it.each([
    ['http://other.example/p/x', 'other.example', '/p/x', ''],
    ['HTTPS://Other.example:8443/p?x=1', 'Other.example:8443', '/p', '?x=1'],
    ['http://other.example', 'other.example', '/', ''],
    ['http://other.example?x=1', 'other.example', '/', '?x=1'],
    ['http://[::1]:80//x', '[::1]:80', '//x', ''],
  ])('serves %s by its path', (target, authority, rawPath, query) => {
    expect(canonicalTarget(target)).toEqual({
      path: rawPath,
      rawPath,
      query,
      authority,
      originForm: rawPath + query,
    });
  });

  it.each([
    'http:///p',
    'http://user@h/p',
    'http://h:99999/p',
    'http://h\\x/p',
    'http://h#x',
    'http://h/../p',
    'http:/p',
    'ftp://h/p',
    'ws://h/p',
    'h:443',
  ])('refuses the target %s', (target) => {
    expect(canonicalTarget(target)).toBeNull();
  });

  it('takes long paths', () => {
    expect(pathOf(`/doc/${'a'.repeat(600)}`)).toBe(`/doc/${'a'.repeat(600)}`);
  });
});

describe('canonicalTarget, for any bytes', () => {
  const pieces = [
    '/',
    '.',
    '..',
    '%2e',
    '%2E',
    '%2f',
    '%5C',
    '\\',
    ';',
    '%3b',
    'a',
    '%25',
    '%c0',
    '%af',
    '?',
    '\u00e9',
  ];
  const targets = fc.oneof(
    fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => `/${parts.join('')}`),
    fc.string({ unit: 'binary' }),
    fc.uint8Array().map((bytes) => `/${Buffer.from(bytes).toString('latin1')}`),
  );

  it('never throws, and its path is its own canonical form', () => {
    fc.assert(
      fc.property(targets, (target) => {
        const path = pathOf(target) ?? '/';
        expect(pathOf(path)).toBe(path);
      }),
      { numRuns: 2000 },
    );
  });

  it('gives back every byte of an origin-form target', () => {
    fc.assert(
      fc.property(targets, (target) => {
        const read = canonicalTarget(target);
        if (read === null || read.authority !== null) return;
        expect(read.rawPath + read.query).toBe(target);
        expect(read.originForm).toBe(target);
      }),
    );
  });

  it('lets no dot segment through that one more decoding would bring to light', () => {
    fc.assert(
      fc.property(targets, (target) => {
        const read = canonicalTarget(target);
        if (read === null) return;
        for (const path of [read.path, read.rawPath]) {
          const decoded = path.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
            String.fromCharCode(Number.parseInt(hex, 16)),
          );
          const names = decoded.split(/[/\\]/).map((piece) => piece.split(';', 1)[0]);
          expect(names).not.toContain('.');
          expect(names).not.toContain('..');
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('canonicalSegment', () => {
  it.each([
    ['users', 'users'],
    ['größe', 'gr%C3%B6%C3%9Fe'],
    ['a%7eb%2f', 'a~b%2F'],
    ['a|b', 'a%7Cb'],
    ['a b', 'a%20b'],
  ])('%s is %s', (literal, segment) => {
    expect(canonicalSegment(literal)).toBe(segment);
  });

  it.each(['..', 'a/b', '%zz', '%2e'])('refuses %s', (literal) => {
    expect(() => canonicalSegment(literal)).toThrow(RangeError);
  });
});

describe('decodeSegment', () => {
  it.each([
    ['plain', 'plain'],
    ['a%2Fb%20c', 'a/b c'],
    ['gr%C3%B6%C3%9Fe', 'größe'],
    ['a%2520b', 'a%20b'],
    ['%E9', '%E9'],
  ])('%s is %s', (segment, value) => {
    expect(decodeSegment(segment)).toBe(value);
  });
});
