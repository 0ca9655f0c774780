import { expect, it } from 'vitest';

import { ConfigError, parseConfig } from '../loader.js';

function faultsOf(forward: object, document: object = {}): string[] {
  const jwt = { algorithms: ['HS256'], secret: 's'.repeat(32), forward };
  const routes = [{ path: '/', backends: [{ url: 'http://h' }] }];
  try {
    parseConfig(JSON.stringify({ auth: { jwt }, ...document, routes }), {
      file: 'f.json',
      format: 'json',
      env: {},
      unavailable: {},
    });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues.map(({ path, message }) => `${path}: ${message}`);
  }
}

const FAULT = 'names a header that the gateway writes itself, expected another one';

it.each([
  'Content-Length',
  'transfer_encoding',
  'Host',
  'TE',
  'X-Forwarded-For',
  'X_Real_IP',
  'Sec-WebSocket-Key',
])('a claim never becomes %s', (header) =>
  expect(faultsOf({ sub: header })).toEqual([`auth.jwt.forward.sub: ${FAULT}`]),
);

it('a claim never becomes the header of the request id', () => {
  const document = { request_id: { header: 'X-Trace' } };
  expect(faultsOf({ sub: 'x-trace' }, document)).toEqual([`auth.jwt.forward.sub: ${FAULT}`]);
  expect(faultsOf({ sub: 'x-trace' })).toEqual([]);
});

it('claims become other headers', () => {
  expect(faultsOf({ sub: 'x-user-id', 'a.b': 'Tenant' })).toEqual([]);
  expect(faultsOf({})).toEqual([]);
});
