import { describe, expect, it } from 'vitest';

import { compileCoercion } from './coercion.js';

describe('compileCoercion', () => {
  const coerce = compileCoercion({
    type: 'object',
    properties: {
      n: { type: 'integer' },
      f: { type: ['number', 'null'] },
      b: { type: 'boolean' },
      s: { type: 'string' },
      list: { type: 'array', items: { type: 'integer' } },
      ref: { $ref: '#/$defs/a~1b' },
      any: { anyOf: [{ type: 'boolean' }, { type: 'string' }] },
      self: { $ref: '#' },
    },
    patternProperties: { '^n-': { type: 'number' } },
    allOf: [{ properties: { later: { type: 'number' } } }],
    $defs: { 'a/b': { type: 'number' } },
  });

  it.each<[string, string[], unknown]>([
    ['n', ['5'], 5],
    ['n', ['-5e2'], -500],
    ['n', ['05'], '05'],
    ['n', ['0x10'], '0x10'],
    ['n', [' 5'], ' 5'],
    ['n', [''], ''],
    ['n', ['5', '6'], [5, 6]],
    ['f', ['1.5'], 1.5],
    ['f', [''], null],
    ['b', ['true'], true],
    ['b', ['false'], false],
    ['b', ['1'], '1'],
    ['s', ['5'], '5'],
    ['s', ['a', 'b'], ['a', 'b']],
    ['list', ['1'], [1]],
    ['list', ['1', 'x'], [1, 'x']],
    ['ref', ['5'], 5],
    ['any', ['true'], true],
    ['any', ['5'], '5'],
    ['self', ['5'], '5'],
    ['n-x', ['5'], 5],
    ['later', ['5'], 5],
    ['other', ['5'], '5'],
    ['__proto__', ['5'], '5'],
  ])('%s %j becomes %j', (name, texts, value) => {
    expect(coerce(name, texts)).toEqual(value);
  });

  it('leaves texts alone where nothing is said', () => {
    expect(compileCoercion(true)('a', ['5'])).toBe('5');
    expect(compileCoercion({ additionalProperties: { type: 'number' } })('a', ['5'])).toBe(5);
  });
});

it('ends at names that take too many steps', () => {
  const coerce = compileCoercion({ type: 'object', patternProperties: { 'x*y': { type: 'integer' } } });
  expect(coerce('xy', ['1'])).toBe(1);
  expect(() => coerce('x'.repeat(10_000), ['1'])).toThrow('too costly to check');
  expect(coerce('xy', ['1'])).toBe(1);
});
