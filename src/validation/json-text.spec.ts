import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { DEEPEST, parseJson } from './json-text.js';

const parsed = (text: string | Buffer) => parseJson(Buffer.from(text as string));

describe('parseJson', () => {
  it('reads whatever JSON there is, as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), fc.constantFrom('', ' ', '\n\t'), (text, space) => {
        expect(parsed(space + text + space)).toEqual({ value: JSON.parse(text) });
      }),
    );
  });

  it('never reads what JSON.parse does not, or reads otherwise', () => {
    const characters = fc.constantFrom(...'"\\{}[],:1e-tru n\u0000'.split(''));
    const wrong = fc.check(
      fc.property(fc.string({ unit: characters }), (text) => {
        const result = parsed(text);
        return 'problem' in result || JSON.stringify(result.value) === JSON.stringify(JSON.parse(text));
      }),
      { numRuns: 5_000 },
    );
    expect(wrong.counterexample).toBeNull();
  });

  it.each([
    '{"a":1,"a":2}',
    '{"a":1,"\\u0061":2}',
    '{"":1,"":1}',
    '[{"x":{"b":[],"c":{},"b":0}}]',
    '{"__proto__":1,"__proto__":2}',
    '{"a":{"a":1},"b":[{"a":1}],"a":1}',
  ])('refuses a key twice: %s', (text) => {
    expect(parsed(text)).toEqual({
      problem: { pointer: '', message: 'must not have a key twice in one object' },
    });
  });

  it.each([
    '{"a":"a","b":"a"}',
    '[{"a":1},{"a":1}]',
    '{"a":["a","a"]}',
    '{"a":{"a":{"a":1}}}',
    '{"a\\"":1,"a":1}',
  ])('takes a key once in each object: %s', (text) => {
    expect(parsed(text)).toEqual({ value: JSON.parse(text) });
  });

  it('bounds the depth', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expect(parsed(nested(DEEPEST))).toHaveProperty('value');
    expect(parsed(nested(DEEPEST + 1))).toHaveProperty(
      'problem.message',
      'must not be deeper than 64 levels',
    );
    expect(parsed('{"a":'.repeat(1_000_000))).toHaveProperty('problem');
    expect(parsed(JSON.stringify('['.repeat(1_000)))).toHaveProperty('value');
  });

  it.each([
    [Buffer.from([0x22, 0xff, 0x22]), 'must be UTF-8'],
    [Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'must be UTF-8'],
    [Buffer.from('{}', 'utf16le'), 'must be JSON'],
    [Buffer.from('\ufeff{}'), 'must be JSON'],
    [Buffer.from('{"a":1} {"a":1}'), 'must be JSON'],
    [Buffer.from("{'a':1}"), 'must be JSON'],
    [Buffer.from('{"a'), 'must be JSON'],
    [Buffer.from(' '), 'must be JSON'],
  ])('refuses %j', (bytes, message) => {
    expect(parseJson(bytes)).toEqual({ problem: { pointer: '', message } });
  });

  it('leaves no trace of __proto__', () => {
    const result = parsed('{"__proto__":{"polluted":true}}') as { value: object };
    expect(Object.keys(result.value)).toEqual(['__proto__']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
