import { expect, it } from 'vitest';

import { startTestGateway } from '../support/index.js';
import { open, refused, wsUpstream } from '../websocket/support.js';
import { json, keyServer } from './key-server.js';
import { bearer, issuerKey, token } from './tokens.js';

const key = issuerKey('k1');

it('handshakes need a token as requests do, and say who it is', async () => {
  const upstream = await wsUpstream();
  const keys = await keyServer();
  keys.answer = (_, response) => void setTimeout(() => json(response, { keys: [key.jwk] }), 100);
  const gateway = await startTestGateway({
    auth: { jwt: { jwks_uri: keys.jwksUri } },
    routes: [
      { path: '/ws', backends: [upstream.backend], auth: 'jwt' },
      { path: '/open', backends: [upstream.backend] },
    ],
  });

  const missing = await refused(gateway, '/ws');
  expect([missing.status, missing.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  const invalid = await refused(gateway, '/ws', { headers: bearer('a.b.c') });
  expect([invalid.status, invalid.headers['www-authenticate']]).toEqual([
    401,
    'Bearer error="invalid_token"',
  ]);
  expect(upstream.requests).toEqual([]);

  const spoofed = { 'x-user-id': 'root', x_user_roles: 'admin' };
  const peer = await open(gateway, '/ws', { headers: { ...bearer(await token(key)), ...spoofed } });
  peer.send('hello');
  expect(await peer.message()).toBe('hello');
  expect(upstream.last!.headers).toMatchObject({ 'x-user-id': 'ada' });
  expect(upstream.last!.headers).not.toHaveProperty('x_user_roles');

  await open(gateway, '/open', { headers: spoofed });
  expect(upstream.last!.headers).not.toHaveProperty('x-user-id');
  expect(upstream.last!.headers).not.toHaveProperty('x_user_roles');
});
