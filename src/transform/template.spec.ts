import { describe, expect, it } from 'vitest';

import type { Identity } from '../exchange/identity.js';
import { contextOf } from './edits.fixture.js';
import { compileTemplate } from './template.js';

const identity: Identity = { kind: 'api_key', id: 'key-1', roles: [], claims: {} };

describe('compileTemplate', () => {
  it.each([
    ['', ''],
    ['plain', 'plain'],
    ['{{}}', '{}'],
    ['{id}', 'a b'],
    ['/{id}/{client_ip}-{request_id}', '/a b/192.0.2.1-r-1'],
    ['[{identity.sub}]', '[key-1]'],
  ])('%s gives %s', (template, text) => {
    const context = contextOf({ identity, params: { id: 'a b' } });
    expect(compileTemplate(template, '/users/{id}')(context)).toBe(text);
  });

  it('takes the subject before the id, and nothing for nobody', () => {
    const render = compileTemplate('{identity.sub}', '/');
    expect(render(contextOf({ identity: { ...identity, claims: { sub: 'u-7' } } }))).toBe('u-7');
    expect(render(contextOf())).toBe('');
  });

  it('prefers a parameter of the path to a name of the gateway', () => {
    const render = compileTemplate('{client_ip}', '/{client_ip}');
    expect(render(contextOf({ params: { client_ip: 'mine' } }))).toBe('mine');
  });

  it('knows no other names', () => {
    expect(() => compileTemplate('{constructor}', '/{id}')).toThrow(RangeError);
  });
});
