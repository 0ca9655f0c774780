import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import {
  type EchoUpstream,
  echoedHeader,
  echoUpstream,
  freePort,
  startTestGateway,
  type TestGateway,
  urlOf,
  waitFor,
} from '../support/index.js';
import { json, KeyServer, keyServer } from './key-server.js';
import { bearer, inSeconds, type IssuerKey, issuerKey, token } from './tokens.js';

const k1 = issuerKey('k1');
const k2 = issuerKey('k2');

interface Scene {
  readonly gateway: TestGateway;
  readonly echo: EchoUpstream;
  /** The document, with another `auth.jwt` or more routes. */
  readonly document: (jwt: object, routes?: readonly object[]) => object;
}

async function scene(jwt: object): Promise<Scene> {
  const echo = await echoUpstream();
  const document = (other: object, routes: readonly object[] = []): object => ({
    auth: { jwt: other },
    routes: [{ path: '/p', backends: [echo.backend], auth: 'jwt' }, ...routes],
  });
  return { gateway: await startTestGateway(document(jwt)), echo, document };
}

async function statusOf(gateway: TestGateway, made: string | Promise<string>): Promise<number> {
  return (await gateway.get('/p', { headers: bearer(await made) })).status;
}

/** A token that nobody has seen. */
let count = 0;
function fresh(key: IssuerKey): Promise<string> {
  return token(key, { jti: String(count++) });
}

describe('keys of a key set', () => {
  it('are fetched once for 200 requests at once', async () => {
    const keys = await keyServer(k1);
    let release: (() => void) | null = null;
    keys.answer = (_, response) => {
      release = () => json(response, { keys: [k1.jwk] });
    };
    const { gateway } = await scene({ jwks_uri: keys.jwksUri });
    const made = await Promise.all(Array.from({ length: 200 }, () => fresh(k1)));
    const all = made.map((each) => statusOf(gateway, each));
    const active = async () => (await gateway.metric('gateway_active_requests'))! >= 200;
    await waitFor(active, '200 requests', { timeoutMs: 20_000, intervalMs: 50 });
    release!();
    expect(new Set(await Promise.all(all))).toEqual(new Set([200]));
    expect(keys.fetches).toEqual(['/keys']);
  });

  it('change: an unknown key is asked for once in each cooldown', async () => {
    const keys = await keyServer(k1);
    const { gateway } = await scene({ jwks_uri: keys.jwksUri });
    expect(await statusOf(gateway, fresh(k1))).toBe(200);
    expect(keys.fetches).toHaveLength(1);
    keys.keys = [k1, k2];
    expect(await statusOf(gateway, fresh(k2))).toBe(200);
    expect(keys.fetches).toHaveLength(2);
    const invented = Array.from({ length: 50 }, (_, at) => token(k1, {}, { kid: `invented-${at}` }));
    const answers = await Promise.all(invented.map((made) => statusOf(gateway, made)));
    expect(new Set(answers)).toEqual(new Set([401]));
    expect(keys.fetches).toHaveLength(2);
    expect(await statusOf(gateway, fresh(k1))).toBe(200);
  });

  it('change again once the cooldown is over', async () => {
    const keys = await keyServer(k1);
    const { gateway } = await scene({ jwks_uri: keys.jwksUri, jwks: { cooldown: '50ms' } });
    expect(await statusOf(gateway, token(k1, {}, { kid: 'invented' }))).toBe(401);
    keys.keys = [k2];
    await waitFor(async () => (await statusOf(gateway, fresh(k2))) === 200, 'the new key');
  });

  it('that left take the tokens along that are remembered', async () => {
    const keys = await keyServer(k1, k2);
    const { gateway } = await scene({ jwks_uri: keys.jwksUri, jwks: { max_age: '100ms' } });
    const [first, second] = [await fresh(k1), await fresh(k2)];
    expect([await statusOf(gateway, first), await statusOf(gateway, second)]).toEqual([200, 200]);
    keys.keys = [k2];
    await waitFor(async () => (await statusOf(gateway, first)) === 401, 'the end of the key');
    expect(await statusOf(gateway, second)).toBe(200);
  });

  it('serve on while the set cannot be fetched, and that is logged once', async () => {
    const keys = await keyServer(k1);
    const { gateway } = await scene({ jwks_uri: keys.jwksUri, jwks: { max_age: '50ms', cooldown: '0s' } });
    const known = await fresh(k1);
    expect(await statusOf(gateway, known)).toBe(200);
    await keys.close();
    await gateway.logged('key set unavailable', { source: keys.jwksUri, keys: 1 });
    expect(await statusOf(gateway, fresh(k1))).toBe(200);
    expect(await statusOf(gateway, known)).toBe(200);
    expect(await statusOf(gateway, fresh(k2))).toBe(401);
    await keys.open();
    await gateway.logged('key set recovered', { source: keys.jwksUri });
    expect(gateway.logsWith('key set unavailable')).toHaveLength(1);
  });

  it.each([
    ['encryption', { use: 'enc' }],
    ['signing alone', { use: undefined, key_ops: ['sign'] }],
    ['another algorithm', { alg: 'RS512' }],
    ['another kid', { kid: 'k9' }],
    ['no kid', { kid: undefined }],
  ])('for %s are not used', async (_, members) => {
    const odd = { ...k1, jwk: { ...k1.jwk, ...members } };
    const { gateway } = await scene({ jwks_uri: (await keyServer(odd)).jwksUri });
    expect(await statusOf(gateway, fresh(k1))).toBe(401);
  });

  it('are found without a kid where one alone fits', async () => {
    const server = await keyServer(issuerKey('e1', 'ES256'), k1, { ...k2, jwk: { ...k2.jwk, use: 'enc' } });
    const { gateway } = await scene({ jwks_uri: server.jwksUri });
    expect(await statusOf(gateway, token(k1, {}, { kid: undefined }))).toBe(200);
    server.keys = [k1, k2];
    const two = await scene({ jwks_uri: server.jwksUri });
    expect(await statusOf(two.gateway, token(k1, {}, { kid: undefined }))).toBe(401);
  });

  it('stand among broken ones and secrets', async () => {
    const keys = await keyServer();
    const odd = [null, 'x', {}, { kty: 'oct', k: 'AAAA', kid: 'k1' }, { kty: 'RSA', n: 'x', kid: 'k1' }];
    keys.answer = (_, response) => json(response, { keys: [...odd, k1.jwk] });
    const { gateway } = await scene({ jwks_uri: keys.jwksUri });
    expect(await statusOf(gateway, fresh(k1))).toBe(200);
  });
});

describe('a key server that fails', () => {
  it('stops no start; tokens are refused, and pass once it is there', async () => {
    const server = new KeyServer();
    server.port = await freePort();
    server.keys = [k1];
    const { gateway } = await scene({ jwks_uri: server.jwksUri });
    const answer = await gateway.get('/p', { headers: bearer(await fresh(k1)) });
    expect([answer.status, answer.json()['code']]).toEqual([401, 'invalid_token']);
    const line = await gateway.logged('token verification unavailable', { source: server.jwksUri });
    expect(line).toMatchObject({ level: 'WARN', keys: 0, err: expect.stringMatching(/ECONNREFUSED/) });
    await server.open();
    try {
      await waitFor(async () => (await statusOf(gateway, fresh(k1))) === 200, 'keys');
      expect(gateway.logsWith('token verification unavailable')).toHaveLength(1);
      expect(gateway.logsWith('key set recovered')).toHaveLength(1);
    } finally {
      await server.close();
    }
  });

  it('is asked in vain no more than once in a while', async () => {
    const keys = await keyServer();
    keys.answer = (_, response) => response.writeHead(503).end();
    const { gateway } = await scene({ jwks_uri: keys.jwksUri });
    await gateway.logged('token verification unavailable');
    const answers = await Promise.all(Array.from({ length: 50 }, () => statusOf(gateway, fresh(k1))));
    expect(new Set(answers)).toEqual(new Set([401]));
    expect(keys.fetches.length).toBeLessThanOrEqual(2);
  });

  it.each<[string, RegExp, KeyServer['answer']]>([
    ['is silent', /timeout/, () => {}],
    ['sends an endless set', /larger than 256 kb/, (_, response) => endless(response)],
    ['sends HTML', /not JSON/, (_, response) => void response.end('<html>secret</html>')],
    ['sends no set', /no key set/, (_, response) => json(response, { kays: [k1.jwk] })],
    ['sends null', /no key set/, (_, response) => json(response, null)],
    ['breaks off', /./, (request, response) => response.write('{"keys":', () => request.socket.destroy())],
    ['answers an error', /unexpected status: 500/, (_, response) => void response.writeHead(500).end('{}')],
  ])('which %s gives no keys', async (_, err, answer) => {
    const keys = await keyServer();
    keys.answer = answer;
    const { gateway } = await scene({ jwks_uri: keys.jwksUri, jwks: { timeout: '500ms' } });
    expect(await statusOf(gateway, fresh(k1))).toBe(401);
    const line = await gateway.logged('token verification unavailable');
    expect(line['err']).toMatch(err);
    expect(String(line['err'])).not.toContain('secret');
  });

  it('is not followed elsewhere', async () => {
    const attacker = await keyServer(k1);
    const keys = await keyServer();
    keys.answer = (_, response) => response.writeHead(302, { location: attacker.jwksUri }).end();
    const { gateway } = await scene({ jwks_uri: keys.jwksUri });
    expect(await statusOf(gateway, fresh(k1))).toBe(401);
    expect(attacker.fetches).toEqual([]);
  });

  it('and is slow has requests wait for it', async () => {
    const keys = await keyServer();
    keys.answer = (_, response) => void setTimeout(() => json(response, { keys: [k1.jwk] }), 300);
    const { gateway } = await scene({ jwks_uri: keys.jwksUri });
    expect(await statusOf(gateway, fresh(k1))).toBe(200);
  });
});

function endless(response: Parameters<NonNullable<KeyServer['answer']>>[1]): void {
  response.write('{"keys":[');
  const more = (): void => {
    while (!response.destroyed && response.write(' '.repeat(64 * 1024)));
  };
  response.on('drain', more);
  more();
}

describe('OpenID discovery', () => {
  it('finds the keys at the issuer', async () => {
    const keys = await keyServer(k1);
    const { gateway } = await scene({ issuer: keys.url });
    expect(await statusOf(gateway, token(k1, { iss: keys.url }))).toBe(200);
    expect(await statusOf(gateway, token(k1, { iss: `${keys.url}/` }))).toBe(401);
    expect(await statusOf(gateway, token(k1))).toBe(401);
    expect(keys.fetches).toEqual(['/.well-known/openid-configuration', '/keys']);
  });

  it.each([
    ['another issuer', { issuer: 'https://evil.example' }, /another one/],
    ['no issuer', { issuer: undefined }, /another one/],
    ['no address', { jwks_uri: undefined }, /no jwks_uri/],
    ['a file', { jwks_uri: 'file:///etc/passwd' }, /no jwks_uri/],
  ])('refuses a document that names %s', async (_, discovery, err) => {
    const keys = await keyServer(k1);
    keys.discovery = discovery;
    const { gateway } = await scene({ issuer: keys.url });
    expect(await statusOf(gateway, token(k1, { iss: keys.url }))).toBe(401);
    expect((await gateway.logged('token verification unavailable'))['err']).toMatch(err);
    expect(keys.fetches).not.toContain('/keys');
  });
});

describe('a reload', () => {
  it('that leaves auth.jwt alone keeps keys and tokens', async () => {
    const keys = await keyServer(k1);
    const { gateway, echo, document } = await scene({ jwks_uri: keys.jwksUri });
    const made = await fresh(k1);
    expect(await statusOf(gateway, made)).toBe(200);
    await keys.close();
    const more = document({ jwks_uri: keys.jwksUri }, [
      { path: '/q', backends: [echo.backend], auth: 'jwt' },
    ]);
    expect(await gateway.reload({ ...more, request_id: { trust: false } })).toBe(true);
    expect(await statusOf(gateway, made)).toBe(200);
    expect((await gateway.get('/q', { headers: bearer(await fresh(k1)) })).status).toBe(200);
    expect(keys.fetches).toHaveLength(1);
  });

  it('that changes auth.jwt judges known tokens anew, with the keys that are known', async () => {
    const keys = await keyServer(k1);
    const { gateway, document } = await scene({ jwks_uri: keys.jwksUri });
    const made = await token(k1, { aud: 'a', roles: ['x'] });
    expect(await statusOf(gateway, made)).toBe(200);
    expect(await gateway.reload(document({ jwks_uri: keys.jwksUri, audience: 'b' }))).toBe(true);
    expect(await statusOf(gateway, made)).toBe(401);
    expect(await gateway.reload(document({ jwks_uri: keys.jwksUri, audience: ['b', 'a'] }))).toBe(true);
    expect(await statusOf(gateway, made)).toBe(200);
    expect(keys.fetches).toHaveLength(1);
  });

  it('that changes the forwarded claims changes what the upstream is told', async () => {
    const keys = await keyServer(k1);
    const { gateway, echo, document } = await scene({ jwks_uri: keys.jwksUri });
    const made = await token(k1, { tenant: { id: 7 } });
    expect(await statusOf(gateway, made)).toBe(200);
    await gateway.reload(document({ jwks_uri: keys.jwksUri, forward: { 'tenant.id': 'X-Tenant' } }));
    await gateway.get('/p', { headers: { ...bearer(made), 'x-tenant': '9', 'x-user-id': 'mine' } });
    expect(echoedHeader(echo.last!, 'x-tenant')).toEqual(['7']);
    expect(echoedHeader(echo.last!, 'x-user-id')).toEqual(['mine']);
  });

  it('reads a key file again, also when the document says the same', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'nexus-jwt-')), 'key.pem');
    writeFileSync(file, k1.pem);
    const { gateway, document } = await scene({ public_key_file: file });
    const made = await fresh(k1);
    expect([await statusOf(gateway, made), await statusOf(gateway, fresh(k2))]).toEqual([200, 401]);
    writeFileSync(file, k2.pem);
    expect(await gateway.reload(document({ public_key_file: file }))).toBe(true);
    await waitFor(async () => (await statusOf(gateway, fresh(k2))) === 200, 'the new key');
    expect(await statusOf(gateway, made)).toBe(401);
  });

  it('from one key server to another asks the old one no more', async () => {
    const [before, after] = [await keyServer(k1), await keyServer(k2)];
    const { gateway, document } = await scene({ jwks_uri: before.jwksUri, jwks: { max_age: '50ms' } });
    expect(await statusOf(gateway, fresh(k1))).toBe(200);
    await gateway.reload(document({ jwks_uri: after.jwksUri, jwks: { max_age: '50ms' } }));
    expect(await statusOf(gateway, fresh(k2))).toBe(200);
    expect(await statusOf(gateway, fresh(k1))).toBe(401);
    const asked = before.fetches.length;
    const later = after.fetches.length + 5;
    await waitFor(() => after.fetches.length >= later, 'more fetches of the new one');
    expect(before.fetches.length - asked).toBeLessThanOrEqual(1);
  });
});

it('a token is refused from its expiry on, known or not', async () => {
  const keys = await keyServer(k1);
  const { gateway } = await scene({ jwks_uri: keys.jwksUri, clock_tolerance: '0s' });
  const exp = inSeconds(2);
  const made = await token(k1, { exp });
  expect(await statusOf(gateway, made)).toBe(200);
  await waitFor(async () => (await statusOf(gateway, made)) === 401, 'the expiry');
  expect(Date.now() / 1_000).toBeGreaterThanOrEqual(exp);
});

it('the address of a key server may have credentials for nobody’s eyes', async () => {
  const { gateway } = await scene({ jwks_uri: `${urlOf('127.0.0.1', await freePort())}/keys?apikey=hush` });
  await gateway.logged('token verification unavailable');
  expect(gateway.rawLogs.join('\n')).not.toContain('hush');
});
