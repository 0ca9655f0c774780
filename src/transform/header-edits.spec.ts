import { validateHeaderValue } from 'node:http';

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { EditsConfig } from '../config/response.config.js';
import { contextOf, editsOf } from './edits.fixture.js';
import { compileHeaderEdits } from './header-edits.js';

function edited(lines: string[], given: Partial<EditsConfig>, params: Record<string, string> = {}): string[] {
  return compileHeaderEdits(editsOf(given), '/{id}')!(lines, contextOf({ params }));
}

describe('compileHeaderEdits', () => {
  const LINES = ['X-A', '1', 'Cookie', 'c', 'x-a', '2', 'X-B', '3'];

  it('is nothing without edits', () => {
    expect(compileHeaderEdits(editsOf({}), '/')).toBeNull();
  });

  it.each<[string, Partial<EditsConfig>, string[]]>([
    ['removes every line', { remove: ['X-a'] }, ['Cookie', 'c', 'X-B', '3']],
    ['sets in the first place', { set: { 'x-A': 'n' } }, ['x-A', 'n', 'Cookie', 'c', 'X-B', '3']],
    ['sets at the end', { set: { new: 'n' } }, [...LINES, 'new', 'n']],
    ['adds at the end', { add: { 'X-A': 'n' } }, [...LINES, 'X-A', 'n']],
    [
      'replaces in each line',
      { replace: [{ name: 'x-a', pattern: '^(.)', replacement: '<$1>' }] },
      ['X-A', '<1>', 'Cookie', 'c', 'x-a', '<2>', 'X-B', '3'],
    ],
    [
      'removes, then replaces, then sets, then adds',
      {
        remove: ['x-a'],
        replace: [
          { name: 'x-a', pattern: '.', replacement: 'gone' },
          { name: 'x-b', pattern: '3', replacement: '4' },
          { name: 'x-b', pattern: '4', replacement: '5' },
        ],
        set: { 'x-a': 'set' },
        add: { 'x-a': 'added' },
      },
      ['Cookie', 'c', 'X-B', '5', 'x-a', 'set', 'x-a', 'added'],
    ],
  ])('%s', (_, given, lines) => {
    const before = [...LINES];
    expect(edited(before, given)).toEqual(lines);
    expect(before).toEqual(LINES);
  });

  it('leaves no second spelling that an upstream might read as the same header', () => {
    expect(edited(['X_Tenant', 'evil', 'x-tenant', 'e'], { set: { 'x-tenant': 'ours' } })).toEqual([
      'x-tenant',
      'ours',
    ]);
    expect(edited(['X_Tenant', 'evil'], { remove: ['X-Tenant'] })).toEqual([]);
  });

  it('sets an empty value where there is none, so that no client brings its own', () => {
    expect(edited(['x-sub', 'forged'], { set: { 'x-sub': '{identity.sub}' } })).toEqual(['x-sub', '']);
  });

  it.each([
    ['a\r\nx: y', 'a%0D%0Ax: y'],
    ['a\0\t\x7f', 'a%00%09%7F'],
    ['grüße €', 'gr%C3%BC%C3%9Fe %E2%82%AC'],
    ['\u{1F600}', '%F0%9F%98%80'],
    ['\ud800', '%EF%BF%BD'],
    ['100% ~', '100% ~'],
  ])('%j becomes %s', (id, text) => {
    expect(edited([], { set: { a: '{id}' } }, { id })).toEqual(['a', text]);
    expect(edited(['a', 'v'], { replace: [{ name: 'a', pattern: 'v', replacement: id }] })).toEqual([
      'a',
      text,
    ]);
  });

  it('makes no value that could end its line, whatever it is made of', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (id, own) => {
        const template = `${own.replaceAll('{', '{{').replaceAll('}', '}}')}{id}`;
        const [, value = ''] = edited([], { add: { a: template } }, { id });
        expect(value).toMatch(/^[\x20-\x7e]*$/);
        expect(() => validateHeaderValue('a', value)).not.toThrow();
      }),
    );
  });
});
