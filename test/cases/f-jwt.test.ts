import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beforeAll, describe, expect, it } from 'vitest';

import { json, type KeyServer, keyServer } from '../auth/key-server.js';
import { bearer, forged, inSeconds, issuerKey, part, token } from '../auth/tokens.js';
import {
  type ClientResponse,
  type EchoUpstream,
  echoedHeader,
  echoUpstream,
  startTestGateway,
  type TestGateway,
} from '../support/index.js';
import { echoScene, rawGet } from './scene.js';

const key = issuerKey('k1');
const stranger = issuerKey('k2');
const file = join(mkdtempSync(join(tmpdir(), 'nexus-jwt-')), 'key.pem');
writeFileSync(file, key.pem);

const INVALID = 'Bearer error="invalid_token"';

function expectInvalid(answer: ClientResponse): void {
  expect([answer.status, answer.header('www-authenticate')]).toEqual([401, INVALID]);
  expect(answer.json()).toMatchObject({ code: 'invalid_token', detail: 'invalid token' });
}

describe.each(['a PEM file', 'a key set'])('case 46: tokens verified with %s', (source) => {
  let gateway: TestGateway;
  let echo: EchoUpstream;
  let keys: KeyServer;
  let attacker: KeyServer;

  beforeAll(async () => {
    keys = await keyServer(key);
    attacker = await keyServer(stranger);
    const jwt = source === 'a key set' ? { jwks_uri: keys.jwksUri } : { public_key_file: file };
    ({ gateway, upstream: echo } = await echoScene({ auth: 'jwt' }, { auth: { jwt } }));
  });

  const claims = { sub: 'ada', exp: inSeconds(600) };

  it('that are good pass', async () => {
    const answer = await gateway.get('/p', { headers: bearer(await token(key)) });
    expect(answer.status).toBe(200);
  });

  it.each([
    ['alg none', () => `${part({ alg: 'none' })}.${part(claims)}.`],
    ['alg nOnE', () => `${part({ alg: 'nOnE', kid: 'k1' })}.${part(claims)}.${part('x')}`],
    ['HS256 with the PEM as secret', () => forged({ alg: 'HS256' }, claims, key.pem)],
    ['HS256 with the trimmed PEM as secret', () => forged({ alg: 'HS256' }, claims, key.pem.trim())],
    ['RS256 by the key of another kid', () => token(stranger)],
    ['RS256 by another key under the kid', () => token(stranger, {}, { kid: 'k1' })],
    ['another algorithm of the same key', () => token({ ...key, alg: 'RS512' })],
    [
      'an unknown crit',
      () => forged({ alg: 'RS256', kid: 'k1', crit: ['exp2'], exp2: 1 }, claims, key.privateKey),
    ],
    ['an empty crit', () => forged({ alg: 'RS256', kid: 'k1', crit: [] }, claims, key.privateKey)],
    ['an empty signature', async () => (await token(key)).replace(/[^.]+$/, '')],
    ['no signature', async () => (await token(key)).replace(/\.[^.]+$/, '')],
    ['four parts', async () => `${await token(key)}.${part('x')}`],
    ['an empty fourth part', async () => `${await token(key)}.`],
    ['padding', async () => `${await token(key)}=`],
    ['padding in the middle', async () => (await token(key)).replace('.', '=.')],
    ['a stray bit at the end', async () => strayBit(await token(key))],
    ['plain base64', async () => (await token(key)).replaceAll('-', '+').replaceAll('_', '/') + '+'],
    ['a space', async () => (await token(key)).replace('.', '. ')],
    ['a kid that is no text', () => forged({ alg: 'RS256', kid: ['k1'] }, claims, key.privateKey)],
    ['an alg that is no text', () => forged({ alg: ['RS256'], kid: 'k1' }, claims, key.privateKey)],
    ['a header that is a list', () => forged([{ alg: 'RS256' }], claims, key.privateKey)],
    ['a payload that is null', () => forged({ alg: 'RS256', kid: 'k1' }, null, key.privateKey)],
    ['a payload that is a list', () => forged({ alg: 'RS256', kid: 'k1' }, [claims], key.privateKey)],
    ['a payload that is a text', () => forged({ alg: 'RS256', kid: 'k1' }, 'hello', key.privateKey)],
  ])('that are not: %s', async (_, made) => {
    const started = echo.started;
    expectInvalid(await gateway.get('/p', { headers: bearer(await made()) }));
    expect(echo.started).toBe(started);
  });

  it.each(['jwk', 'jku', 'x5u', 'x5c'])('whose %s brings a key of its own', async (name) => {
    const own: Record<string, unknown> = {
      jwk: stranger.jwk,
      jku: attacker.jwksUri,
      x5u: attacker.jwksUri,
      x5c: [stranger.pem.replaceAll(/-----[^-]+-----|\n/g, '')],
    };
    for (const kid of ['k1', 'k2']) {
      const header = { alg: 'RS256', kid, [name]: own[name] };
      expectInvalid(
        await gateway.get('/p', { headers: bearer(forged(header, claims, stranger.privateKey)) }),
      );
    }
    expect(attacker.fetches).toEqual([]);
  });

  it('with a typ of whatever kind pass', async () => {
    const answers = ['JWT', 'at+jwt', 'x'].map(async (typ) =>
      gateway.get('/p', { headers: bearer(await token(key, {}, { typ })) }),
    );
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

/** The same bytes, written with another last letter. */
function strayBit(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return text.slice(0, -1) + alphabet[alphabet.indexOf(text.at(-1)!) + 1];
}

describe('case 47: claims of time and audience', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    const jwt = { public_key_file: file, audience: 'api', clock_tolerance: '30s' };
    ({ gateway } = await echoScene({ auth: 'jwt' }, { auth: { jwt } }));
  });

  it.each<[number, string, object | (() => object)]>([
    [200, 'a list of audiences', { aud: ['x', 'api'] }],
    [200, 'the one audience', { aud: 'api' }],
    [401, 'other audiences', { aud: ['x'] }],
    [401, 'another audience', { aud: 'xapi' }],
    [401, 'no audience', {}],
    [401, 'an audience in a list in a list', { aud: [['api']] }],
    [200, 'exp 20 s ago', () => ({ aud: 'api', exp: inSeconds(-20) })],
    [401, 'exp 60 s ago', () => ({ aud: 'api', exp: inSeconds(-60) })],
    [200, 'nbf in 20 s', () => ({ aud: 'api', nbf: inSeconds(20) })],
    [401, 'nbf in 60 s', () => ({ aud: 'api', nbf: inSeconds(60) })],
    [401, 'exp as a text', { aud: 'api', exp: String(inSeconds(600)) }],
    [401, 'exp as null', { aud: 'api', exp: null }],
    [401, 'nbf as a text', { aud: 'api', nbf: '0' }],
    [401, 'no exp', { aud: 'api', exp: undefined }],
  ])('%i: %s', async (status, _, said) => {
    // Times are counted from when the test runs, not from when it is collected.
    const claims = typeof said === 'function' ? said() : said;
    const made = forged({ alg: 'RS256' }, { sub: 'ada', exp: inSeconds(600), ...claims }, key.privateKey);
    const first = await gateway.get('/p', { headers: bearer(made) });
    const again = await gateway.get('/p', { headers: bearer(made) });
    expect([first.status, again.status]).toEqual([status, status]);
    if (status === 401) expectInvalid(first);
  });
});

describe('cases 17 and 18: what the upstream is told of the identity', () => {
  let gateway: TestGateway;
  let echo: EchoUpstream;
  let authorization: string;

  beforeAll(async () => {
    const made = await token(key, { uid: 'u1', username: 'Ada, \u00e9\r\nX: 1', roles: ['a', 'b,c'] });
    authorization = `Authorization: Bearer ${made}\r\n`;
    echo = await echoUpstream();
    gateway = await startTestGateway({
      auth: { jwt: { public_key_file: file } },
      routes: [
        { id: 'p', path: '/p', backends: [echo.backend], auth: 'jwt' },
        { id: 'open', path: '/open', backends: [echo.backend] },
      ],
    });
  });

  async function told(path: string, lines: string): Promise<Record<string, string[]>> {
    const { responses } = await gateway.raw(rawGet(path, lines));
    expect(responses[0]!.status).toBe(200);
    const names = ['x-user-id', 'x-username', 'x-user-roles', 'x_user_id', 'x-user_id', 'x_user_roles'];
    const found = names.map((name) => [name, echoedHeader(echo.last!, name)] as const);
    return Object.fromEntries(found.filter(([, values]) => values.length > 0));
  }

  const REAL = {
    'x-user-id': ['u1'],
    'x-username': ['Ada,%20%C3%A9%0D%0AX:%201'],
    'x-user-roles': ['a,b%2Cc'],
  };
  const SPOOFED =
    'X-User-Id: admin\r\nx-user-roles: admin\r\nX_User_Id: admin\r\nx-user_id: admin\r\nX-USERNAME: root\r\nx_user_roles: admin\r\n';

  it('is the gateway’s word, once, whatever the client says', async () => {
    expect(await told('/p', authorization)).toEqual(REAL);
    expect(await told('/p', authorization + SPOOFED)).toEqual(REAL);
  });

  it('is nothing on a route without auth, with a token or without', async () => {
    expect(await told('/open', SPOOFED)).toEqual({});
    expect(await told('/open', authorization + SPOOFED)).toEqual({});
  });

  it('is not removed by Connection', async () => {
    const connection =
      'Connection: close, x-user-id, X-USER-ROLES, x_user_id, x-forwarded-for, x-forwarded-proto, host, content-length\r\n';
    expect(await told('/p', authorization + connection)).toEqual(REAL);
    expect(echoedHeader(echo.last!, 'x-forwarded-for')).toEqual(['127.0.0.1']);
    expect(echoedHeader(echo.last!, 'host')).toEqual([new URL(echo.url).host]);
    expect(await told('/open', connection + SPOOFED)).toEqual({});
  });

  it('is there too where Connection names Authorization, which then stays behind', async () => {
    expect(await told('/p', `${authorization}Connection: authorization\r\n`)).toEqual(REAL);
    expect(echoedHeader(echo.last!, 'authorization')).toEqual([]);
  });
});

describe('where a token may stand', () => {
  let gateway: TestGateway;
  let good: string;

  beforeAll(async () => {
    const keys = await keyServer();
    keys.answer = (_, response) => json(response, { keys: [key.jwk] });
    const auth = { jwt: { jwks_uri: keys.jwksUri } };
    ({ gateway } = await echoScene({ auth: 'jwt' }, { auth }));
    good = await token(key);
  });

  async function answerTo(target: string, lines: string) {
    const { responses } = await gateway.raw(rawGet(target, lines));
    return [responses[0]!.status, responses[0]!.header('www-authenticate')];
  }

  it.each(['Bearer ', 'bearer ', 'BEARER  '])('after the scheme %j', async (scheme) => {
    expect(await answerTo('/p', `authorization: ${scheme}${good}\r\n`)).toEqual([200, undefined]);
  });

  it.each([
    ['no header', '/p', ''],
    ['another scheme', '/p', 'Authorization: Basic YTpi\r\n'],
    ['the scheme alone', '/p', 'Authorization: Bearer\r\n'],
    ['a scheme that begins like it', '/p', 'Authorization: Bearerx y\r\n'],
  ])('nowhere: %s', async (_, target, lines) => {
    expect(await answerTo(target, lines)).toEqual([401, 'Bearer']);
  });

  it('not in the query, not in a cookie, not in another header', async () => {
    const lines = `Cookie: access_token=${good}\r\nProxy-Authorization: Bearer ${good}\r\n`;
    expect(await answerTo(`/p?access_token=${good}`, lines)).toEqual([401, 'Bearer']);
  });

  it('in one Authorization line only', async () => {
    const twice = `Authorization: Bearer ${good}\r\n`.repeat(2);
    expect(await answerTo('/p', twice)).toEqual([401, INVALID]);
    const other = `Authorization: Basic YTpi\r\nauthorization: Bearer ${good}\r\n`;
    expect(await answerTo('/p', other)).toEqual([401, INVALID]);
    expect(await answerTo('/p', `Authorization: Bearer ${good}, Bearer ${good}\r\n`)).toEqual([401, INVALID]);
  });
});
