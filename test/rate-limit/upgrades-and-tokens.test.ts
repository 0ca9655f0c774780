import { describe, expect, it } from 'vitest';

import { bearer, secretToken } from '../auth/tokens.js';
import { echoUpstream, startTestGateway } from '../support/index.js';
import { startRedis } from '../support/redis.js';
import { open, refused, wsUpstream } from '../websocket/support.js';

const SECRET = 'a secret of at least thirty-two bytes';

describe('WebSocket handshakes that wait for Redis', () => {
  it.each(['rate_limit', 'rate_limit_per_upstream'])('are let through or refused by %s', async (place) => {
    const [upstream, redis] = [await wsUpstream(), await startRedis()];
    const limit = { requests: 2, per: '1h', store: 'redis' };
    const gateway = await startTestGateway({
      redis: { url: redis.url, command_timeout: '2s' },
      ...(place === 'rate_limit' ? {} : { rate_limit_per_upstream: limit }),
      routes: [
        {
          id: 'ws',
          path: '/ws',
          backends: [upstream.backend],
          ...(place === 'rate_limit' ? { rate_limit: limit } : {}),
        },
      ],
    });
    await open(gateway);
    await open(gateway);
    const third = await refused(gateway);
    expect(third.status).toBe(429);
    expect(JSON.parse(third.body)).toMatchObject({ code: 'rate_limited' });
    expect(third.headers['ratelimit']).toContain(';r=0;');
    expect(upstream.requests).toHaveLength(2);
  });
});

describe('limits by user', () => {
  it('know a token by its subject, whoever sends it and however it is signed anew; a key of that name is another', async () => {
    const upstream = await echoUpstream();
    const gateway = await startTestGateway({
      server: { trusted_proxies: ['127.0.0.1/32'] },
      auth: {
        jwt: { algorithms: ['HS256'], secret: SECRET },
        api_keys: { keys: [{ id: 'ada', key: 'key-of-ada' }] },
      },
      rate_limit_per_user: { requests: 2, per: '1h' },
      routes: [{ path: '/a', auth: ['jwt', 'api_key'], backends: [upstream.backend] }],
    });
    const statusOf = async (headers: Record<string, string>, ip: string): Promise<number> =>
      (await gateway.get('/a', { headers: { ...headers, 'x-forwarded-for': ip } })).status;
    const ada = async (more: object = {}) => bearer(await secretToken(SECRET, { sub: 'ada', ...more }));
    expect(await statusOf(await ada(), '203.0.113.1')).toBe(200);
    expect(await statusOf(await ada({ jti: '2' }), '203.0.113.2')).toBe(200);
    expect(await statusOf(await ada({ jti: '3' }), '203.0.113.3')).toBe(429);
    expect(await statusOf(bearer(await secretToken(SECRET, { sub: 'bob' })), '203.0.113.3')).toBe(200);
    expect(await statusOf({ 'x-api-key': 'key-of-ada' }, '203.0.113.3')).toBe(200);
    expect(await statusOf({ 'x-api-key': 'wrong' }, '203.0.113.3')).toBe(401);
  });
});
