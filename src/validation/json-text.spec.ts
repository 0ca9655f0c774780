import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { DEEPEST, MOST_VALUES, parseJson } from './json-text.js';

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

  const tooMany = { problem: { pointer: '', message: 'must not hold more than 100000 values and keys' } };

  it.each<[string, (count: number) => string]>([
    ['items', (count) => `[${Array.from({ length: count - 1 }, () => '1').join(',')}]`],
    ['strings', (count) => `[${Array.from({ length: count - 1 }, () => '"a, b"').join(' , ')}]`],
    ['empty objects', (count) => `[${Array.from({ length: count - 1 }, () => '{ }').join(',')}]`],
    [
      'keys',
      (count) =>
        `{${Array.from({ length: count / 2 - 2 }, (_, at) => `"k${at}":-1e5`).join()},"\\u0061":[[]]}`,
    ],
  ])('bounds how many %s there may be', (_, textOf) => {
    expect(parsed(textOf(MOST_VALUES))).toHaveProperty('value');
    expect(parsed(textOf(MOST_VALUES + 2))).toEqual(tooMany);
    // Refused before the rest of it is looked at.
    expect(parsed(`${textOf(MOST_VALUES + 2)}"`)).toEqual(tooMany);
  });

  it.each([
    ['plain', 'a'.repeat(9_500_000)],
    ['of escapes', '\\n'.repeat(4_700_000)],
    ['of escaped quotes', '\\"'.repeat(4_700_000)],
    ['of escaped backslashes', '\\\\'.repeat(4_700_000)],
    ['of what stands for structure', '{[,:'.repeat(2_300_000)],
  ])('reads a string of megabytes, %s', (_, inner) => {
    const { value } = parsed(`{"s":"${inner}"}`) as { value: { s: string } };
    expect(value.s.length).toBe((JSON.parse(`"${inner}"`) as string).length);
    expect(parsed(`{"s":"${inner}`)).toEqual({ problem: { pointer: '', message: 'must be JSON' } });
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
