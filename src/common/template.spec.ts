import { describe, expect, it } from 'vitest';

import { parseTemplate } from './template.js';

describe('parseTemplate', () => {
  it.each([
    ['', []],
    ['/v1', [{ text: '/v1' }]],
    ['{id}', [{ name: 'id' }]],
    ['/v1/{id}/x', [{ text: '/v1/' }, { name: 'id' }, { text: '/x' }]],
    ['{a}{b}', [{ name: 'a' }, { name: 'b' }]],
    ['{identity.sub}', [{ name: 'identity.sub' }]],
    ['{{id}}', [{ text: '{id}' }]],
    ['{{{id}}}', [{ text: '{' }, { name: 'id' }, { text: '}' }]],
  ])('%s', (template, parts) => {
    expect(parseTemplate(template)).toEqual(parts);
  });

  it.each(['{', '}', 'a{b', 'a}b', '{}', '{1a}', '{a b}', '{{{'])('refuses %s', (template) => {
    expect(() => parseTemplate(template)).toThrow(RangeError);
  });
});
