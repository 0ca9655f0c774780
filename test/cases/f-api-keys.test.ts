import { describe, expect, it } from 'vitest';

import { rawUpstream } from '../support/index.js';
import { ADMIN_KEY, KEYS, keyScene, SECRET } from '../auth/support.js';
import { before } from './scene.js';

const QUERY = { query: 'api_key' };

describe('case 48: API keys are not passed on or logged', () => {
  it('in header or query', async () => {
    const { gateway, upstream } = await keyScene({ auth: 'api_key' }, QUERY);
    expect((await gateway.get(`/p?a=1&api_key=${SECRET}&b=2`)).status).toBe(200);
    expect(upstream.last!.url).toBe('/p?a=1&b=2');
    expect((await gateway.get('/p', { headers: { 'X-Api-Key': SECRET } })).status).toBe(200);
    expect(upstream.last!.rawHeaders.join('\n')).not.toContain(SECRET);
    await gateway.logged('request completed', { path: '/p?a=1&api_key=[redacted]&b=2' });
    expect(gateway.rawLogs.join('')).not.toContain(SECRET);
  });

  it('with forward: true it is passed, and still not logged', async () => {
    const { gateway, upstream } = await keyScene({ auth: 'api_key' }, { ...QUERY, forward: true });
    await gateway.get(`/p?a=1&api_key=${SECRET}`);
    expect(upstream.last!.url).toBe(`/p?a=1&api_key=${SECRET}`);
    await gateway.logged('request completed');
    expect(gateway.rawLogs.join('')).not.toContain(SECRET);
  });

  it('a wrong one: 401, and nowhere to be seen', async () => {
    const { gateway } = await keyScene({ auth: 'api_key' }, QUERY);
    const wrong = `wrong-${SECRET}`;
    const answers = [
      await gateway.get(`/p?api_key=${wrong}`),
      await gateway.get('/p', { headers: { 'x-api-key': wrong } }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(401);
      expect(answer.text).not.toContain(wrong);
    }
    await expect.poll(() => gateway.logsWith('request completed').length).toBe(2);
    expect(gateway.rawLogs.join('')).not.toContain(wrong);
    expect((await gateway.get('/metrics')).text).not.toContain(wrong);
  });

  it('nor when the upstream fails, the rewrite does, or a limit is used up', async () => {
    const broken = await rawUpstream((connection) => connection.reset());
    const gateway = await before(
      broken,
      { auth: 'api_key', rate_limit: { requests: 1, per: '1h', by: 'route' } },
      { auth: { api_keys: { ...QUERY, keys: KEYS } } },
    );
    const answers = [await gateway.get(`/p?api_key=${SECRET}`), await gateway.get(`/p?api_key=${SECRET}`)];
    expect(answers.map(({ status }) => status)).toEqual([502, 429]);
    expect(answers.map(({ text }) => text).join('')).not.toContain(SECRET);
    await gateway.logged('upstream request failed');
    await gateway.logged('rate limit exceeded');
    expect(gateway.rawLogs.join('')).not.toContain(SECRET);
  });

  it('nor where nobody asked for one', async () => {
    const { gateway, upstream } = await keyScene({ auth: 'none' }, QUERY);
    await gateway.get(`/p?api_key=${SECRET}`, { headers: { 'x-api-key': SECRET } });
    await gateway.get(`/nowhere?api_key=${SECRET}`);
    await gateway.logged('request completed', { status: 404 });
    expect(JSON.stringify(upstream.requests)).not.toContain(SECRET);
    expect(gateway.rawLogs.join('')).not.toContain(SECRET);
  });
});

describe('case 50: a limit by API key', () => {
  const limited = { auth: 'api_key', rate_limit: { requests: 2, per: '1h', by: 'api_key' } };

  it('is drawn from by the holder, however and wherever the key is sent from', async () => {
    const { gateway } = await keyScene(limited, QUERY, { server: { trusted_proxies: ['127.0.0.1/32'] } });
    const alice = { 'x-api-key': SECRET };
    const answers = [
      await gateway.get('/p', { headers: { ...alice, 'x-forwarded-for': '203.0.113.1' } }),
      await gateway.get(`/p?api_key=${SECRET}`, { headers: { 'x-forwarded-for': '203.0.113.2' } }),
      await gateway.get('/p', { headers: { ...alice, x_api_key: ADMIN_KEY, 'x-user-id': 'root' } }),
      await gateway.get(`/p?%61pi_key=${encodeURIComponent(SECRET)}`),
      await gateway.get('/p', { headers: { 'x-api-key': ADMIN_KEY } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429, 200]);
  });

  it("is not used up by who has no key, or somebody else's", async () => {
    const { gateway } = await keyScene(limited, QUERY);
    for (let at = 0; at < 5; at++) {
      const headers = { 'x-api-key': `${SECRET}${at}` };
      expect((await gateway.get('/p', { headers })).status).toBe(401);
    }
    expect((await gateway.get('/p', { headers: { 'x-api-key': SECRET } })).status).toBe(200);
  });

  it('may stand on the key itself', async () => {
    const keys = [{ id: 'small', key: 'small-key', rate_limit: { requests: 1, per: '1h' } }, ...KEYS];
    const { gateway } = await keyScene({ auth: 'api_key' }, { keys });
    const status = async (key: string): Promise<number> =>
      (await gateway.get('/p', { headers: { 'x-api-key': key } })).status;
    expect([await status('small-key'), await status('small-key')]).toEqual([200, 429]);
    expect([await status(SECRET), await status(SECRET)]).toEqual([200, 200]);
  });
});
