import { describe, expect, it } from 'vitest';

import { echoUpstream, freePort, get, request, startTestGateway } from '../support/index.js';

const TOKEN = 'a-token-of-the-tests';
const READABLE = ['/api/config/status', '/api/routes', '/api/upstreams'];

async function setUp(admin: object = {}) {
  const upstream = await echoUpstream();
  const route = { id: 'a', path: '/a', backends: [upstream.backend] };
  return startTestGateway({ admin, routes: [route] }, { admin: true });
}

describe('case 61: the admin port', () => {
  it('is bound to loopback unless the document says otherwise', async () => {
    const gateway = await setUp();
    expect(new URL(gateway.adminUrl).hostname).toBe('127.0.0.1');
    expect(gateway.running).toMatchObject({ config: { admin: { host: '127.0.0.1', token: null } } });
  });

  it.each(['0.0.0.0', '::', '10.1.2.3', 'gateway.example'])('refuses %s without a token', async (host) => {
    await expect(setUp({ host })).rejects.toThrow(/admin\.host.*token/);
  });

  it('opens no port when it refuses', async () => {
    const port = await freePort();
    await expect(setUp({ host: '0.0.0.0', port })).rejects.toThrow(/token/);
    await expect(get(`http://127.0.0.1:${port}/health`)).rejects.toThrow(/ECONNREFUSED/);
  });

  it.each(READABLE)('%s asks for the token', async (path) => {
    const gateway = await setUp({ token: TOKEN });
    const ask = (authorization?: string) =>
      get(gateway.adminUrl + path, authorization === undefined ? {} : { headers: { authorization } });
    const without = await ask();
    expect([without.status, without.header('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(without.json()).toMatchObject({ code: 'missing_token' });
    for (const wrong of [`Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, `Bearer ${TOKEN.toUpperCase()}`]) {
      const refused = await ask(wrong);
      expect([refused.status, refused.header('www-authenticate')]).toEqual([
        401,
        'Bearer error="invalid_token"',
      ]);
    }
    for (const other of [`Basic ${TOKEN}`, 'Bearer', 'Bearer ', TOKEN])
      expect((await ask(other)).status).toBe(401);
    expect((await ask(`Bearer ${TOKEN}`)).status).toBe(200);
    expect((await ask(`bearer ${TOKEN}`)).status).toBe(200);
    expect(gateway.rawLogs.join('\n')).not.toContain(TOKEN);
  });

  it('a token in the query or a cookie is none: nothing that a browser sends by itself lets anyone in', async () => {
    const gateway = await setUp({ token: TOKEN });
    const path = `/api/routes?token=${TOKEN}&access_token=${TOKEN}`;
    const response = await get(gateway.adminUrl + path, { headers: { cookie: `token=${TOKEN}` } });
    expect(response.status).toBe(401);
  });

  it.each(['x-forwarded-for', 'x-real-ip', 'forwarded', 'x-forwarded-host'])(
    '%s opens nothing',
    async (name) => {
      const gateway = await setUp({ token: TOKEN });
      const value = name === 'forwarded' ? 'for=127.0.0.1' : '127.0.0.1';
      expect((await get(`${gateway.adminUrl}/api/routes`, { headers: { [name]: value } })).status).toBe(401);
    },
  );

  it('shows no token', async () => {
    const gateway = await setUp({ token: TOKEN });
    const headers = { authorization: `Bearer ${TOKEN}` };
    const answers = await Promise.all(READABLE.map((path) => get(gateway.adminUrl + path, { headers })));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
    expect(answers.map((answer) => answer.text).join('\n')).not.toContain(TOKEN);
  });

  it('answers health without a token, and nothing below it', async () => {
    const gateway = await setUp({ token: TOKEN });
    expect((await get(`${gateway.adminUrl}/health`)).status).toBe(200);
    for (const path of [
      '/health/../api/routes',
      '/api/routes/health',
      '//api/routes',
      '/health/%2e%2e/api/routes',
    ]) {
      const response = await get(gateway.adminUrl + path);
      expect([400, 401, 404]).toContain(response.status);
      expect(response.text).not.toContain('127.0.0.1');
    }
  });

  it('stops those who guess', async () => {
    const gateway = await setUp({ token: TOKEN });
    const guess = async (index: number): Promise<number> => {
      const headers = {
        authorization: `Bearer guess-${index}`,
        'x-forwarded-for': `203.0.113.${index % 256}`,
      };
      return (await get(`${gateway.adminUrl}/api/routes`, { headers })).status;
    };
    const guesses = (round: number): Promise<number>[] =>
      Array.from({ length: 50 }, (_, index) => guess(round * 50 + index));
    const seen: number[] = [];
    // A slow machine gets some tokens back meanwhile.
    for (let round = 0; round < 40 && !seen.includes(429); round++)
      seen.push(...(await Promise.all(guesses(round))));
    expect(seen.indexOf(429)).toBeGreaterThanOrEqual(500);
    // Even the right one has to wait now, unless a token just came back; the data port does not care.
    const right = { headers: { authorization: `Bearer ${TOKEN}` } };
    let late = await get(`${gateway.adminUrl}/api/routes`, right);
    for (let round = 40; round < 60 && late.status !== 429; round++) {
      await Promise.all(guesses(round));
      late = await get(`${gateway.adminUrl}/api/routes`, right);
    }
    expect([late.status, Number(late.header('retry-after')) > 0]).toEqual([429, true]);
    expect((await gateway.get('/a')).status).toBe(200);
  });

  it('is not there when it is switched off', async () => {
    const upstream = await echoUpstream();
    const port = await freePort();
    const gateway = await startTestGateway({
      admin: { enabled: false, port },
      routes: [{ path: '/a', backends: [upstream.backend] }],
    });
    expect(gateway.running.adminUrl).toBeNull();
    await expect(get(`http://127.0.0.1:${port}/health`)).rejects.toThrow(/ECONNREFUSED/);
  });

  it('is none of the data port’s paths', async () => {
    const gateway = await setUp();
    for (const path of READABLE) expect((await gateway.get(path)).status).toBe(404);
  });
});

describe('case 61: what the data port says of the gateway', () => {
  const OWN = ['/metrics', '/_gateway/metrics', '/_gateway/health', '/_gateway/upstreams'];

  it.each(OWN)('%s is there for admin.allow_from alone, judged by the socket', async (path) => {
    const gateway = await setUp({ allow_from: ['127.0.0.2/32', '::1/128'] });
    for (const headers of [
      {},
      { 'x-forwarded-for': '127.0.0.2' },
      { 'x-real-ip': '::1' },
      { forwarded: 'for=127.0.0.2' },
    ]) {
      const response = await gateway.get(path, { headers });
      expect([response.status, response.json()['code']]).toEqual([404, 'route_not_found']);
    }
    const allowed = await request(gateway.url + path, { localAddress: '127.0.0.2', agent: false });
    expect(allowed.status).toBe(200);
  });

  it('also when the peer is a trusted proxy', async () => {
    const upstream = await echoUpstream();
    const gateway = await startTestGateway({
      server: { trusted_proxies: ['127.0.0.1/32'] },
      admin: { allow_from: ['10.0.0.0/8'] },
      routes: [{ path: '/a', backends: [upstream.backend] }],
    });
    const response = await gateway.get('/metrics', { headers: { 'x-forwarded-for': '10.1.2.3' } });
    expect(response.status).toBe(404);
  });
});
