import { expect, it } from 'vitest';

import { preflightMethod } from './preflight.js';

const ORIGIN = ['Origin', 'https://a.example'];
const ASKS = ['access-control-request-METHOD', 'PUT'];

it.each([
  ['OPTIONS', [...ORIGIN, ...ASKS], 'PUT'],
  ['OPTIONS', [...ASKS, 'Host', 'h', ...ORIGIN], 'PUT'],
  ['GET', [...ORIGIN, ...ASKS], null],
  ['options', [...ORIGIN, ...ASKS], null],
  ['OPTIONS', ORIGIN, null],
  ['OPTIONS', ASKS, null],
  ['OPTIONS', [...ORIGIN, ...ASKS, ...ASKS], null],
  ['OPTIONS', [...ORIGIN, ...ORIGIN, ...ASKS], null],
])('%s %j: %s', (method, raw, asked) => {
  expect(preflightMethod(method, raw)).toBe(asked);
});

it('none that asks for an empty method', () => {
  const raw = ['Origin', 'https://a.example', 'Access-Control-Request-Method', ''];
  expect(preflightMethod('OPTIONS', raw)).toBeNull();
});
