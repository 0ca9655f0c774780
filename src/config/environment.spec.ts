import { expect, it } from 'vitest';

import { configFile } from './environment.js';

it('takes the file given, else what GATEWAY_CONFIG names, else config/gateway.yml', () => {
  expect(configFile('a.yml', { GATEWAY_CONFIG: 'b.yml' })).toBe('a.yml');
  expect(configFile(undefined, { GATEWAY_CONFIG: 'b.yml' })).toBe('b.yml');
  expect(configFile(undefined, { GATEWAY_CONFIG: '' })).toBe('config/gateway.yml');
  expect(configFile(undefined, {})).toBe('config/gateway.yml');
});
