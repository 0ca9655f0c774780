import { createHmac } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { echoUpstream, startTestGateway, type TestGateway } from '../support/index.js';
import { httpsRequest } from '../tls/https-request.js';
import { CLIENT, mutual, tlsAgent, tlsGateway } from '../tls/support.js';

const SECRET = 's'.repeat(32);
const TOLD = ['x-client-cert-subject', 'x-user-roles', 'x-username', 'x-api-key', 'x-real-ip'];

/** Answers with what it is told of who asks, fresh for a minute. */
const teller = () =>
  echoUpstream({
    respond: ({ headers, url }, response) => {
      response.writeHead(200, { 'cache-control': String(headers['x-say'] ?? 'max-age=60') });
      response.end(TOLD.map((name) => headers[name] ?? '').join('|') + new URL(url!, 'http://x').search);
    },
  });

function bearer(claims: object): Record<string, string> {
  const exp = Math.floor(Date.now() / 1000) + 600;
  const parts = [{ alg: 'HS256' }, { exp, ...claims }].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const text = parts.join('.');
  const signature = createHmac('sha256', SECRET).update(text).digest('base64url');
  return { authorization: `Bearer ${text}.${signature}` };
}

describe('a client certificate that the upstream is told of', () => {
  async function scene(cache: object) {
    const upstream = await teller();
    const routes = [{ id: 'all', path: '/', backends: [upstream.backend], cache }];
    const gateway = await tlsGateway(mutual('request'), upstream, { routes });
    const agents = { client: tlsAgent(CLIENT), nobody: tlsAgent() };
    return async (who: keyof typeof agents, say?: string): Promise<(string | undefined)[]> => {
      const headers = say === undefined ? {} : { 'x-say': say };
      const answer = await httpsRequest(`${gateway.url}/a`, { agent: agents[who], headers });
      return [answer.text.split('|')[0] === '' ? 'nobody' : 'client', answer.header('x-cache')];
    };
  }

  it('is a credential: its answers are stored for nobody', async () => {
    const get = await scene({});
    expect([await get('client'), await get('nobody'), await get('nobody'), await get('client')]).toEqual([
      ['client', 'MISS'],
      ['nobody', 'MISS'],
      ['nobody', 'HIT'],
      ['client', 'MISS'],
    ]);
  });

  it('shares what is marked for everybody', async () => {
    const get = await scene({});
    expect([await get('client', 'public, max-age=60'), await get('nobody')]).toEqual([
      ['client', 'MISS'],
      ['client', 'HIT'],
    ]);
  });

  it.each([{ identity: true }, { headers: ['X-Client-Cert-Subject'], identity: true }])(
    'has entries of its own with key %j',
    async (key) => {
      const get = await scene({ key });
      const answers = [await get('client'), await get('nobody'), await get('client'), await get('nobody')];
      expect(answers).toEqual([
        ['client', 'MISS'],
        ['nobody', 'MISS'],
        ['client', 'HIT'],
        ['nobody', 'HIT'],
      ]);
    },
  );
});

async function asked(gateway: TestGateway, path: string, headers = {}): Promise<(string | undefined)[]> {
  const { text, headers: got } = await gateway.get(path, { headers });
  return [text, got['x-cache'] as string];
}

describe('what else the upstream is told', () => {
  async function scene(keys: object = {}): Promise<TestGateway> {
    const { backend } = await teller();
    const cache = { key: { identity: true } };
    return startTestGateway({
      server: { trusted_proxies: ['127.0.0.1'] },
      auth: {
        jwt: { algorithms: ['HS256'], secret: SECRET },
        api_keys: { keys: [{ id: 'k1', key: 'key-one' }], ...keys },
      },
      routes: [
        { id: 'own', path: '/own', auth: 'jwt', backends: [backend], cache },
        { id: 'keyed', path: '/keyed', auth: 'api_key', backends: [backend], cache },
        { id: 'open', path: '/open', backends: [backend], cache: { key: { query: ['a'] } } },
        {
          id: 'ip',
          path: '/ip',
          backends: [backend],
          cache: { key: { headers: ['x-real-ip', 'x-username'] } },
        },
      ],
    });
  }

  it('of one identity tells its entries apart: roles, and claims in headers', async () => {
    const gateway = await scene();
    const admin = { sub: 'alice', roles: ['admin'], username: 'A' };
    for (const claims of [
      admin,
      { ...admin, roles: [] },
      { ...admin, username: 'B' },
      { ...admin, scope: 'x' },
    ])
      expect((await asked(gateway, '/own', bearer(claims)))[1]).toBe('MISS');
    expect(await asked(gateway, '/own', bearer({ ...admin, iat: 7 }))).toEqual([
      '|admin|A||127.0.0.1',
      'HIT',
    ]);
  });

  it('of a key that passes is a credential, on routes that ask for none', async () => {
    const gateway = await scene({ forward: true });
    for (const name of ['x-api-key', 'X_Api_Key']) {
      expect((await asked(gateway, `/open/${name}`, { [name]: 'any' }))[1]).toBe('MISS');
      expect(await asked(gateway, `/open/${name}`)).toEqual(['||||127.0.0.1', 'MISS']);
    }
    expect((await asked(gateway, '/keyed', { 'x-api-key': 'key-one' }))[1]).toBe('MISS');
    expect((await asked(gateway, '/keyed', { 'x-api-key': 'key-one' }))[1]).toBe('HIT');
  });

  it('of a key in the query likewise', async () => {
    const gateway = await scene({ forward: true, query: 'key' });
    expect((await asked(gateway, '/open?k%65y=any'))[1]).toBe('MISS');
    expect((await asked(gateway, '/open'))[1]).toBe('MISS');
    expect((await asked(gateway, '/open'))[1]).toBe('HIT');
  });

  it('counts in key.headers as the upstream got it', async () => {
    const gateway = await scene();
    const from = (ip: string) => ({ 'x-forwarded-for': ip, 'x-real-ip': '6.6.6.6', 'x-username': ip });
    expect(await asked(gateway, '/ip', from('1.1.1.1'))).toEqual(['||||1.1.1.1', 'MISS']);
    expect(await asked(gateway, '/ip', from('2.2.2.2'))).toEqual(['||||2.2.2.2', 'MISS']);
    expect(await asked(gateway, '/ip', from('1.1.1.1'))).toEqual(['||||1.1.1.1', 'HIT']);
  });

  it('by a trusted proxy can not be written as one line of another', async () => {
    const gateway = await scene();
    const split = { 'x-forwarded-prefix': '/a', 'x-forwarded-zone': 'z' };
    expect((await asked(gateway, '/open', split))[1]).toBe('MISS');
    const joined = { 'x-forwarded-prefix': '/a x-forwarded-zone=z' };
    expect((await asked(gateway, '/open', joined))[1]).toBe('MISS');
  });
});
