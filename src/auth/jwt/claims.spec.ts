import { describe, expect, it } from 'vitest';

import { claimAt, freezeClaims } from './claims.js';

const parse = (text: string) => freezeClaims(JSON.parse(text) as object);

describe('claims', () => {
  it('can be changed nowhere', () => {
    const claims = parse('{"a":{"b":[{"c":1}]}}') as { a: { b: { c: number }[] } };
    expect(() => (claims.a.b[0]!.c = 2)).toThrow(TypeError);
    expect(() => claims.a.b.push({ c: 2 })).toThrow(TypeError);
    expect(() => Object.assign(claims, { x: 1 })).toThrow(TypeError);
  });

  it('pollute no prototype, whoever copies them', () => {
    const text = '{"__proto__":{"admin":true},"a":[{"__proto__":{"admin":true},"constructor":{"x":1}}]}';
    const claims = parse(text) as { a: object[] };
    const copy = Object.assign({}, claims, claims.a[0]) as Record<string, unknown>;
    expect(copy['admin']).toBeUndefined();
    expect(Object.keys(claims)).toEqual(['a']);
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
    expect(claims['toString' as never]).toBeUndefined();
  });

  it('may be nested as deep as a header is long', () => {
    const claims = parse(`{"a":${'['.repeat(8_000)}${']'.repeat(8_000)}}`);
    expect(Object.isFrozen(claims['a'])).toBe(true);
  });

  it.each([
    ['sub', 'ada'],
    ['realm.roles', ['x']],
    ['https://a.example/roles', ['y']],
    ['list.0', 'first'],
    ['realm', { roles: ['x'] }],
    ['realm.roles.length', 1],
    ['realm.none', undefined],
    ['sub.length', undefined],
    ['none', undefined],
    ['toString', undefined],
    ['__proto__.toString', undefined],
    ['realm.constructor.name', undefined],
  ])('are found by path: %s', (path, value) => {
    const text =
      '{"sub":"ada","realm":{"roles":["x"]},"https://a.example/roles":["y"],"list":["first"],"__proto__":{"a":1}}';
    expect(claimAt(parse(text), path)).toEqual(value);
  });
});
