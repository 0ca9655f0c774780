import { describe, expect, it } from 'vitest';

import { SchemaCheck } from './schema-check.js';
import { SchemaFault } from './schema-fault.js';

const checkOf = (schema: string): SchemaCheck => new SchemaCheck(JSON.parse(schema) as object as never);

describe('schemas that refer to themselves', () => {
  it.each([
    ['the root', '{"$ref":"#"}', '#'],
    ['a definition', '{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}', '#/$defs/a'],
    [
      'two of them',
      '{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"oneOf":[{"$ref":"#/$defs/a"}]}}}',
      '#/$defs/a',
    ],
    ['not', '{"not":{"$ref":"#"}}', '#'],
    ['if', '{"if":{"$ref":"#"},"then":true}', '#'],
    ['dependentSchemas', '{"type":"object","dependentSchemas":{"a":{"$ref":"#"}}}', '#'],
    ['an id', '{"$ref":"b","$id":"https://a.example/a","$defs":{"x":{"$id":"b","$ref":"a"}}}', '#'],
    [
      'an id that is a urn',
      '{"$id":"urn:x:y","$ref":"#/$defs/a%20b","$defs":{"a b":{"$ref":"urn:x:y"}}}',
      '#',
    ],
    [
      'a pointer into an id',
      '{"$ref":"x:/b#/$defs/c","$defs":{"b":{"$id":"x:/b","$defs":{"c":{"$ref":"#/$defs/c"}}}}}',
      '#/$defs/b/$defs/c',
    ],
    ['an escaped name', '{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"$ref":"#"}}}', '#'],
    ['a dynamic anchor', '{"$dynamicAnchor":"n","allOf":[{"$dynamicRef":"#n"}]}', '#'],
    ['a part of a value', '{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}', '#/properties/a'],
  ])('are refused at load where it is in vain: %s', (_, schema, place) => {
    expect(() => checkOf(schema)).toThrow(SchemaFault);
    expect(() => checkOf(schema)).toThrow(/refers to itself without going into the value/);
    expect(() => checkOf(schema)).toThrow(`its part ${place}`);
  });

  it.each([
    '{"type":"object","properties":{"next":{"$ref":"#"}}}',
    '{"type":"array","items":{"anyOf":[{"type":"integer"},{"$ref":"#"}]}}',
    '{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}],"$ref":"#/$defs/a","$defs":{"a":{"type":"object"}}}',
    '{"$dynamicAnchor":"n","type":"object","additionalProperties":{"$dynamicRef":"#n"}}',
    '{"const":{"$ref":"#/const"}}',
    '{"type":"object","properties":{"$ref":{"type":"string"},"const":{"$ref":"#"}}}',
  ])('hold where they go into the value: %s', (schema) => {
    expect(() => checkOf(schema).first({})).not.toThrow();
  });
});

describe('names that every object inherits', () => {
  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s is no keyword', (name) => {
    expect(() => checkOf(`{"${name}":{"type":"object"}}`)).toThrow(`unknown keyword: "${name}" at #`);
    const inside = `{"type":"object","properties":{"a":{"${name}":1}}}`;
    expect(() => checkOf(inside)).toThrow(`unknown keyword: "${name}" at #/properties/a`);
  });

  it('__proto__ among properties is refused, not passed over', () => {
    expect(() => checkOf('{"type":"object","properties":{"__proto__":{"type":"string"}}}')).toThrow(
      '__proto__ in properties at # would not be checked, expected patternProperties with ^__proto__$',
    );
    expect(() => checkOf('{"type":"object","dependentSchemas":{"__proto__":false}}')).toThrow(SchemaFault);
    const instead = checkOf('{"type":"object","patternProperties":{"^__proto__$":{"type":"string"}}}');
    expect(instead.first(JSON.parse('{"__proto__":1}'))).toEqual([
      { pointer: '/__proto__', message: 'must be string' },
    ]);
    expect(instead.first(JSON.parse('{"__proto__":"a"}'))).toBeNull();
  });

  it('the others are properties like any other', () => {
    const check = checkOf('{"type":"object","properties":{"constructor":{"type":"string"}}}');
    expect(check.first(JSON.parse('{"constructor":5}'))).toEqual([
      { pointer: '/constructor', message: 'must be string' },
    ]);
    expect(check.first({})).toBeNull();
  });
});
