import { createHmac } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { JwtConfig } from '../../src/config/auth.config.js';
import { systemClock } from '../../src/common/clock.js';
import { Exchange } from '../../src/exchange/exchange.js';
import { Refusal } from '../../src/exchange/refusal.js';
import { SecretKey } from '../../src/auth/jwt/fixed-keys.js';
import { JwtAuthenticator } from '../../src/auth/jwt/jwt-authenticator.js';
import type { Identity } from '../../src/exchange/identity.js';
import { startTestGateway, echoUpstream, type TestGateway } from '../support/index.js';
import { keyServer } from './key-server.js';
import { bearer, inSeconds, issuerKey, part, secretToken, token } from './tokens.js';

const SECRET = 'a secret of thirty-two bytes, or more of them';

async function gatewayWith(jwt: object): Promise<TestGateway> {
  const { backend } = await echoUpstream();
  return startTestGateway({ auth: { jwt }, routes: [{ path: '/p', backends: [backend], auth: 'jwt' }] });
}

async function statusOf(gateway: TestGateway, made: string): Promise<number> {
  return (await gateway.get('/p', { headers: bearer(made) })).status;
}

describe('each algorithm verifies what it signed, and nothing else', () => {
  it.each(['HS256', 'HS384', 'HS512'])('%s', async (alg) => {
    const gateway = await gatewayWith({ algorithms: [alg], secret: SECRET });
    const good = await secretToken(SECRET, {}, alg);
    expect(await statusOf(gateway, good)).toBe(200);
    expect(await statusOf(gateway, await secretToken(`${SECRET}.`, {}, alg))).toBe(401);
    const other = alg === 'HS256' ? 'HS512' : 'HS256';
    expect(await statusOf(gateway, await secretToken(SECRET, {}, other))).toBe(401);
    expect(await statusOf(gateway, tampered(good))).toBe(401);
  });

  it.each(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'])(
    '%s',
    async (alg) => {
      const [key, stranger] = [issuerKey('k', alg), issuerKey('k', alg)];
      const keys = await keyServer(key);
      const gateway = await gatewayWith({ algorithms: [alg], jwks_uri: keys.jwksUri });
      const good = await token(key);
      expect(await statusOf(gateway, good)).toBe(200);
      expect(await statusOf(gateway, await token(stranger))).toBe(401);
      expect(await statusOf(gateway, tampered(good))).toBe(401);
      expect(await statusOf(gateway, cut(good))).toBe(401);
      expect(await statusOf(gateway, zeroed(good))).toBe(401);
      expect(await statusOf(gateway, macWith(key.pem, alg))).toBe(401);
    },
  );

  it('several at once, each with the key that fits', async () => {
    const algorithms = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'];
    const issued = algorithms.map((alg) => issuerKey('same', alg));
    const keys = await keyServer(...issued);
    const gateway = await gatewayWith({ algorithms, jwks_uri: keys.jwksUri });
    const made = await Promise.all(issued.map((key) => token(key)));
    expect(await Promise.all(made.map((each) => statusOf(gateway, each)))).toEqual([200, 200, 200, 200, 200]);
  });

  it('EdDSA with Ed448, which the signer of the other tests does not know', async () => {
    const { sign } = await import('node:crypto');
    const key = issuerKey('k', 'EdDSA', {}, 'ed448');
    const keys = await keyServer(key);
    const gateway = await gatewayWith({ algorithms: ['EdDSA'], jwks_uri: keys.jwksUri });
    const input = `${part({ alg: 'EdDSA', kid: 'k' })}.${part({ sub: 'ada', exp: inSeconds(60) })}`;
    const signature = sign(null, Buffer.from(input), key.privateKey).toString('base64url');
    expect(await statusOf(gateway, `${input}.${signature}`)).toBe(200);
    expect(await statusOf(gateway, tampered(`${input}.${signature}`))).toBe(401);
  });
});

/** The same signature under other claims. */
function tampered(made: string): string {
  const [header, , signature] = made.split('.');
  return `${header}.${part({ sub: 'root', exp: inSeconds(600) })}.${signature}`;
}

function cut(made: string): string {
  const [header, payload, signature] = made.split('.');
  const bytes = Buffer.from(signature!, 'base64url');
  return `${header}.${payload}.${bytes.subarray(0, bytes.length / 2).toString('base64url')}`;
}

/** For ECDSA: CVE-2022-21449. */
function zeroed(made: string): string {
  const [header, payload, signature] = made.split('.');
  return `${header}.${payload}.${Buffer.alloc(Buffer.from(signature!, 'base64url').length).toString('base64url')}`;
}

/** The public key as a secret, under the name of the algorithm that is asked for. */
function macWith(pem: string, alg: string): string {
  const input = `${part({ alg, kid: 'k' })}.${part({ sub: 'root', exp: inSeconds(600) })}`;
  return `${input}.${createHmac('sha256', pem).update(input).digest('base64url')}`;
}

describe('an authenticator', () => {
  const config = Object.assign(new JwtConfig(), { algorithms: ['HS256'], secret: SECRET });
  const authenticator = (): JwtAuthenticator =>
    new JwtAuthenticator(config, new SecretKey(SECRET), systemClock);

  function exchange(authorization: string): Exchange {
    const rawHeaders = ['Host', 'gw.test', 'Authorization', authorization];
    return new Exchange('id', 0, { rawHeaders } as never);
  }

  it('answers known and unknown tokens at once, known ones with the same identity', async () => {
    const auth = authenticator();
    const header = `Bearer ${await secretToken(SECRET, { roles: ['x'] })}`;
    const first = auth.authenticate(exchange(header));
    expect(first).toMatchObject({ kind: 'jwt', id: 'ada', roles: ['x'] });
    expect(auth.authenticate(exchange(header))).toBe(first);
  });

  it('gives each exchange a list of its own for the upstream, behind what is there', async () => {
    const auth = authenticator();
    const header = `Bearer ${await secretToken(SECRET)}`;
    const [one, two] = [exchange(header), exchange(header)];
    two.upstreamHeaders = ['x-client-cert-subject', 'CN=a'];
    await auth.authenticate(one);
    one.upstreamHeaders!.push('x', 'y');
    await auth.authenticate(two);
    expect(two.upstreamHeaders).toEqual(['x-client-cert-subject', 'CN=a', 'x-user-id', 'ada']);
  });

  it('names tokens that name nobody each for itself', async () => {
    const auth = authenticator();
    const ids = await Promise.all(
      ['1', '2'].map(async (jti) => {
        const made = await secretToken(SECRET, { sub: undefined, jti });
        return (auth.authenticate(exchange(`Bearer ${made}`)) as Identity).id;
      }),
    );
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^token:[\w-]{43}$/);
  });

  it('says nothing of requests without a token, and never why one does not hold', () => {
    const auth = authenticator();
    expect(auth.authenticate(exchange('Basic abc'))).toBeNull();
    expect(() => auth.authenticate(exchange('Bearer abc'))).toThrow(Refusal);
  });
});
