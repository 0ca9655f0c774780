import { createHmac } from 'node:crypto';

import fc from 'fast-check';
import { expect, it } from 'vitest';

import { SecretKey } from '../../src/auth/jwt/fixed-keys.js';
import { JwtAuthenticator } from '../../src/auth/jwt/jwt-authenticator.js';
import { systemClock } from '../../src/common/clock.js';
import { JwtConfig } from '../../src/config/auth.config.js';
import { Exchange } from '../../src/exchange/exchange.js';
import { Refusal } from '../../src/exchange/refusal.js';
import { rawGet } from '../cases/scene.js';
import { echoUpstream, startTestGateway } from '../support/index.js';
import { inSeconds, part, secretToken } from './tokens.js';

const SECRET = 'a secret of thirty-two bytes, or more of them';
const config = Object.assign(new JwtConfig(), { algorithms: ['HS256'], secret: SECRET });
const authenticator = new JwtAuthenticator(config, new SecretKey(SECRET), systemClock);

function outcome(token: string): unknown {
  const rawHeaders = ['Authorization', `Bearer ${token}`];
  try {
    return authenticator.authenticate(new Exchange('id', 0, { rawHeaders } as never));
  } catch (error) {
    return error instanceof Refusal ? error.reason : error;
  }
}

function signed(header: string, payload: string, secret = SECRET): string {
  const input = `${part(header)}.${part(payload)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

const HEADER = '{"alg":"HS256"}';
const names = fc.constantFrom('alg', 'kid', 'crit', 'typ', 'jwk', 'jku', 'b64', 'enc', 'zip', '__proto__');
const algs = fc.constantFrom(
  'HS256',
  'none',
  'None',
  'HS512',
  'RS256',
  'EdDSA',
  '',
  'hs256',
  '__proto__',
  'toString',
);
const headers = fc.oneof(
  fc.record({ alg: algs }).map((header) => JSON.stringify(header)),
  fc.dictionary(names, fc.oneof(fc.jsonValue(), algs)).map((header) => JSON.stringify(header)),
  fc.json(),
  fc.string(),
);
const parts = fc.oneof(
  headers.map(part),
  fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64url')),
  fc.string({ unit: fc.constantFrom(...'AZaz09-_=+/ .'.split('')) }),
);
const letters = fc.oneof(fc.string(), fc.string({ unit: 'binary', maxLength: 40 }));
const tokens = fc.oneof(
  letters,
  fc.array(parts, { maxLength: 6 }).map((list) => list.join('.')),
  fc.tuple(headers, fc.json()).map(([header, payload]) => signed(header, payload, 'not the secret')),
);

it('no text at all passes or fails otherwise than as an invalid token', () => {
  fc.assert(
    fc.property(
      tokens.filter((token) => /^[^ ]/.test(token)),
      (token) => {
        fc.pre(!/[\r\n\u2028\u2029]/.test(token));
        expect(outcome(token)).toBe('invalid_token');
      },
    ),
    { numRuns: 20_000 },
  );
});

it('no change of a good token passes', async () => {
  const good = await secretToken(SECRET, { roles: ['user'] });
  expect(outcome(good)).toMatchObject({ id: 'ada' });
  const replaced = fc.tuple(fc.nat(good.length - 1), fc.constantFrom(...'AQgwBz059-_.='.split('')));
  const changed = replaced.map(([at, letter]) => good.slice(0, at) + letter + good.slice(at + 1));
  const other = changed.filter((text) => text !== good);
  fc.assert(
    fc.property(other, (text) => void expect(outcome(text)).toBe('invalid_token')),
    { numRuns: 3_000 },
  );
});

it('signed payloads of any shape pass as objects that hold, or not at all', () => {
  const claims = fc.constantFrom(
    'sub',
    'uid',
    'roles',
    'exp',
    'nbf',
    'aud',
    'username',
    '__proto__',
    'constructor',
  );
  const payloads = fc.oneof(
    fc.json(),
    fc.string(),
    fc.dictionary(claims, fc.jsonValue()).map((value) => JSON.stringify({ exp: inSeconds(60), ...value })),
  );
  fc.assert(
    fc.property(payloads, (payload) => {
      const found = outcome(signed(HEADER, payload));
      if (found === 'invalid_token') return;
      expect(found).toMatchObject({ kind: 'jwt', id: expect.any(String), roles: expect.any(Array) });
      expect((JSON.parse(payload) as { exp: unknown }).exp).toBeTypeOf('number');
    }),
    { numRuns: 5_000 },
  );
  expect(Object.keys(Object.prototype)).toEqual([]);
});

it('over the wire, the same: 401, and the gateway lives', async () => {
  const upstream = await echoUpstream();
  const gateway = await startTestGateway({
    auth: { jwt: { algorithms: ['HS256'], secret: SECRET } },
    routes: [{ path: '/p', backends: [upstream.backend], auth: 'jwt' }],
  });
  const sendable = tokens.filter((token) => /^[\x21-\x7e\x80-\xff]+$/.test(token));
  await fc.assert(
    fc.asyncProperty(sendable, async (token) => {
      const bytes = Buffer.from(rawGet('/p', `Authorization: Bearer ${token}\r\n`), 'latin1');
      const { responses } = await gateway.raw(bytes);
      expect(responses[0]!.status).toBe(401);
    }),
    { numRuns: 300 },
  );
  expect(upstream.started).toBe(0);
  const { responses } = await gateway.raw(
    rawGet('/p', `Authorization: Bearer ${await secretToken(SECRET)}\r\n`),
  );
  expect(responses[0]!.status).toBe(200);
  expect(gateway.logsWith('internal error')).toEqual([]);
});
