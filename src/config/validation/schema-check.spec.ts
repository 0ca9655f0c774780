import { describe, expect, it } from 'vitest';

import { type JsonSchema, SchemaCheck } from './schema-check.js';
import { SchemaFault } from './schema-fault.js';

const problems = (schema: JsonSchema, value: unknown) => new SchemaCheck(schema).all(value, 20);
const valid = (schema: JsonSchema, value: unknown): boolean => problems(schema, value) === null;

describe('SchemaCheck', () => {
  it('knows JSON Schema 2020-12', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'array',
      prefixItems: [{ $ref: '#/$defs/id' }],
      items: false,
      $defs: { id: { type: 'integer', minimum: 1 } },
    };
    expect([valid(schema, [1]), valid(schema, [0]), valid(schema, [1, 2])]).toEqual([true, false, false]);
    expect([valid(true, 1), valid(false, 1)]).toEqual([true, false]);
  });

  it('points at what is wrong (RFC 6901), and shows no values', () => {
    const schema = {
      type: 'object',
      properties: { 'a/b~c': { type: 'array', items: { type: 'string', maxLength: 3 } }, n: { enum: [1] } },
      required: ['n', 'm'],
      additionalProperties: false,
    };
    const found = problems(schema, { 'a/b~c': ['ok', 'secret'], n: 'secret', x: 'secret' });
    expect(found).toEqual([
      { pointer: '', message: "must have required property 'm'" },
      { pointer: '/x', message: 'must not be there' },
      { pointer: '/a~1b~0c/1', message: 'must NOT have more than 3 characters' },
      { pointer: '/n', message: 'must be equal to one of the allowed values' },
    ]);
  });

  it('lists no more than it is asked for, and cuts long pointers between keys', () => {
    const schema = { type: 'array', items: { type: 'string' } };
    const check = new SchemaCheck(schema);
    expect(check.all([1, 2, 3], 2)).toHaveLength(2);
    expect(check.first([1, 2, 3])).toEqual([{ pointer: '/0', message: 'must be string' }]);
    const key = 'k'.repeat(400);
    const deep = {
      type: 'object',
      additionalProperties: { type: 'object', additionalProperties: { type: 'null' } },
    };
    expect(problems(deep, { [key]: { [key]: 1 } })).toEqual([
      { pointer: `/${key}`, message: 'must be null' },
    ]);
  });

  it('sees own keys alone', () => {
    const schema = {
      type: 'object',
      required: ['toString'],
      properties: { constructor: { type: 'string' } },
    };
    expect(problems(schema, {})).toEqual([
      { pointer: '', message: "must have required property 'toString'" },
    ]);
    expect(valid(schema, JSON.parse('{"toString":1}'))).toBe(true);
    const closed = { type: 'object', additionalProperties: false };
    expect(valid(closed, JSON.parse('{"__proto__":{}}'))).toBe(false);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it.each<[string, JsonSchema]>([
    ['in place', { anyOf: [{ required: ['a'], properties: { a: true } }, { required: ['b'] }] }],
    ['referred to', { $ref: '#/$defs/x' }],
  ])('leaves none of them unevaluated, %s', (_, applied) => {
    const $defs = {
      x: { $dynamicAnchor: 'x', type: 'object', properties: { a: true }, dependentSchemas: { b: true } },
    };
    const schema = { type: 'object', ...(applied as object), $defs, unevaluatedProperties: false };
    const pass = (text: string): boolean => valid(schema, JSON.parse(text));
    expect(pass('{"a":1}')).toBe(true);
    const others = ['z', 'toString', 'constructor', '__proto__'].map((key) => pass(`{"a":1,"${key}":1}`));
    expect(others).toEqual([false, false, false, false]);
  });

  it.each([
    ['an unknown keyword', { type: 'object', propertys: {} }, 'strict mode: unknown keyword: "propertys"'],
    [
      'a keyword of another type',
      { type: 'string', minimum: 1 },
      'strict mode: missing type "number" for keyword "minimum"',
    ],
    ['a wrong value', { type: 'objekt' }, 'schema is invalid'],
    ['a remote reference', { $ref: 'https://example.com/s.json' }, 'which is not part of it'],
    ['a reference to nothing', { $ref: '#/$defs/none' }, 'which is not part of it'],
    ['an unknown format', { type: 'string', format: 'telephone' }, 'unknown format "telephone"'],
    ['another draft', { $schema: 'http://json-schema.org/draft-07/schema#' }, 'draft-07'],
    ['a pattern that is none', { type: 'string', pattern: '(' }, 'pattern'],
    ['a pattern that runs away', { type: 'string', pattern: '^(a+)+$' }, 'can take exponential time'],
    ['such a key', { type: 'object', patternProperties: { '^(a|a)*$': true } }, 'can take exponential time'],
    ['a hidden one', { type: 'string', pattern: '^([\\p{L}]+)+$' }, 'can take exponential time'],
  ])('refuses %s', (_, schema, message) => {
    expect(() => new SchemaCheck(schema)).toThrow(SchemaFault);
    expect(() => new SchemaCheck(schema)).toThrow(message);
  });

  it('keeps schemas apart, also those with the same $id', () => {
    const named = (type: string): JsonSchema => ({ $id: 'urn:test:x', type });
    expect([valid(named('string'), 1), valid(named('number'), 1)]).toEqual([false, true]);
    expect(() => new SchemaCheck({ $ref: 'urn:test:x' })).toThrow(SchemaFault);
  });

  it('keeps patterns apart', () => {
    const schema = {
      type: 'array',
      prefixItems: [
        { type: 'string', pattern: '^a' },
        { type: 'string', pattern: '^\\p{Lu}' },
      ],
    };
    expect([valid(schema, ['a', 'Ä']), valid(schema, ['Ä', 'a'])]).toEqual([true, false]);
  });

  it('bounds the time of patterns by a budget for the whole value', () => {
    const schema = { type: 'array', items: { type: 'string', pattern: '[^@]+@[^.]+$' } };
    expect(
      valid(
        schema,
        Array.from({ length: 1_000 }, () => 'someone@example'),
      ),
    ).toBe(true);
    expect(
      valid(
        schema,
        Array.from({ length: 40 }, () => `${'a'.repeat(1_000)}@b`),
      ),
    ).toBe(false);
    expect(valid({ type: 'string', pattern: '^[a-z]+$' }, 'a'.repeat(1_000_000))).toBe(true);
    expect(valid({ type: 'string', format: 'email' }, `${'a.'.repeat(500_000)}a@b.c`)).toBe(false);
    expect(valid({ type: 'string', format: 'email' }, 'a.b@example.com')).toBe(true);
  });

  const costly = [{ pointer: '', message: 'too costly to check' }];

  it.each<[string, JsonSchema, (text: string) => unknown]>([
    ['not', { type: 'string', not: { pattern: 'x*y' } }, (text) => text],
    ['if', { type: 'string', if: { pattern: 'x*y' }, else: false }, (text) => text],
    ['oneOf', { type: 'string', oneOf: [{ pattern: 'x*y' }, true] }, (text) => text],
    ['contains', { type: 'array', not: { contains: { type: 'string', pattern: 'x*y' } } }, (text) => [text]],
    ['patternProperties', { type: 'object', patternProperties: { 'x*y': false } }, (text) => ({ [text]: 1 })],
    ['format', { type: 'string', not: { format: 'email' } }, (text) => `${text}@b.cd`],
  ])('refuses what takes too many steps, also inside %s', (_, schema, valueOf) => {
    const check = new SchemaCheck(schema);
    expect(check.first(valueOf(`${'x'.repeat(10_000)}zxy`))).toEqual(costly);
    expect(check.all(valueOf(`${'x'.repeat(10_000)}zxy`), 20)).toEqual(costly);
    // The next value has its own steps.
    expect(check.first(valueOf('z'))).not.toEqual(costly);
  });

  it('refuses what overflows the stack of an expression', () => {
    const schema = { type: 'string', not: { pattern: '^(?:[^"x]|x[^])*$' } };
    expect(problems(schema, 'x'.repeat(9_500_000))).toEqual(costly);
  });

  it('bounds the time of schemas that refer to themselves', () => {
    const node = (required: string): object => ({
      type: 'object',
      required: [required],
      properties: { next: { $ref: '#' }, [required]: true },
    });
    const schema = { type: 'object', anyOf: [node('a'), node('b'), { maxProperties: 0 }] } as JsonSchema;
    const nested = (levels: number): unknown =>
      levels === 0 ? { wrong: 1 } : { a: 1, b: 1, next: nested(levels - 1) };
    expect(problems(schema, nested(60))).toEqual(costly);
    expect(valid(schema, { a: 1, next: { b: 1, next: {} } })).toBe(true);
    expect(valid(schema, { a: 1, next: { b: 1, next: { wrong: 1 } } })).toBe(false);
  });

  it('compares many items in linear time', () => {
    const schema = { type: 'array', uniqueItems: true };
    const items = Array.from({ length: 200_000 }, (_, id) => ({ id, x: [id] }));
    expect(valid(schema, items)).toBe(true);
    expect(problems(schema, [...items, { x: [7], id: 7 }])).toEqual([
      { pointer: '', message: 'must NOT have duplicate items' },
    ]);
    expect(valid(schema, [1, '1', true, 'true', null, [1], [[1]], {}, []])).toBe(true);
    expect(valid({ type: 'array', uniqueItems: false }, [1, 1])).toBe(true);
  });
});
