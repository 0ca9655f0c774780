import { describe, expect, it } from 'vitest';

import { startTestGateway, waitFor } from '../support/index.js';
import { limitedInRedis, statuses } from './support.js';

const ALGORITHMS = ['token_bucket', 'sliding_window', 'fixed_window'];

describe.each(ALGORITHMS)('a limit in Redis, %s', (algorithm) => {
  it('holds, with the documented headers and a true Retry-After', async () => {
    const { gateway, upstream } = await limitedInRedis({ algorithm, requests: 2, per: '2s' });
    const answers = [await gateway.get('/a'), await gateway.get('/a'), await gateway.get('/a')];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[1]!.header('ratelimit-policy')).toBe('"default";q=2;w=2');
    expect(answers[1]!.header('ratelimit')).toMatch(/^"default";r=0;t=[2-4]$/);
    const after = Number(answers[2]!.header('retry-after'));
    expect(JSON.parse(answers[2]!.text)).toMatchObject({ code: 'rate_limited', retry_after: after });
    await waitFor(async () => (await gateway.get('/a')).status === 200, 'passes after Retry-After', {
      timeoutMs: after * 1_000 + 250,
      intervalMs: 50,
    });
    expect(upstream.requests).toHaveLength(3);
    expect(
      await gateway.metric('gateway_rate_limited_total', { path: '/a', limit: 'default' }),
    ).toBeGreaterThan(0);
    await gateway.logged('rate limit exceeded', { route: 'a', limit: 'default' });
  });
});

describe('limits in Redis', () => {
  it('are shared by gateways with the same document, also after a restart', async () => {
    const { gateway, document } = await limitedInRedis({});
    const other = await startTestGateway(document);
    expect(await statuses(gateway, 2)).toEqual([200, 200]);
    expect(await statuses(other, 2)).toEqual([200, 429]);
    await gateway.kill();
    expect(await statuses(await startTestGateway(document), 1)).toEqual([429]);
  });

  it('are one command for each stage, however many they are', async () => {
    const { gateway, tap } = await limitedInRedis([
      { by: 'ip' },
      { by: 'route', requests: 100 },
      { by: 'header:x-tenant', requests: 100, algorithm: 'fixed_window' },
      { by: 'ip', requests: 100, algorithm: 'sliding_window' },
    ]);
    await statuses(gateway, 1);
    const before = tap.count('EVALSHA');
    await statuses(gateway, 1);
    expect(tap.count('EVALSHA') - before).toBe(1);
  });

  it('go on through FLUSHALL and SCRIPT FLUSH', async () => {
    const { gateway, redis } = await limitedInRedis({});
    expect(await statuses(gateway, 4)).toEqual([200, 200, 200, 429]);
    await redis.ask('SCRIPT FLUSH');
    expect(await statuses(gateway, 1)).toEqual([429]);
    await redis.ask('FLUSHALL');
    expect(await statuses(gateway, 4)).toEqual([200, 200, 200, 429]);
    expect(gateway.logsWith('rate limit store unavailable')).toEqual([]);
  });

  it('write over a key that holds something else', async () => {
    const { gateway, redis } = await limitedInRedis({});
    await redis.ask('LPUSH nexus:{limits}:a#0:ip:token_bucket:3:3600000:3:127.0.0.1 x');
    expect(await statuses(gateway, 4)).toEqual([200, 200, 200, 429]);
  });

  it('are kept over a reload, and begin afresh with other numbers', async () => {
    const { gateway, document, upstream } = await limitedInRedis({});
    expect(await statuses(gateway, 4)).toEqual([200, 200, 200, 429]);
    expect(await gateway.reload({ ...document, request_id: { trust: false } })).toBe(true);
    expect(await statuses(gateway, 1)).toEqual([429]);
    const limit = { requests: 2, per: '1h', store: 'redis' };
    const routes = [{ id: 'a', path: '/a', rate_limit: limit, backends: [upstream.backend] }];
    expect(await gateway.reload({ ...document, routes })).toBe(true);
    expect(await statuses(gateway, 3)).toEqual([200, 200, 429]);
  });

  it('that a reload adds are in force once Redis is there: it waits for that', async () => {
    const { gateway: other, document, redis, tap, upstream } = await limitedInRedis({});
    await other.kill();
    const gateway = await startTestGateway({
      routes: [{ id: 'a', path: '/a', backends: [upstream.backend] }],
    });
    const before = tap.count('setname');
    redis.freeze();
    const reloaded = gateway.reload(document);
    await waitFor(() => tap.count('setname') > before, 'the connection begins to open');
    expect(gateway.logsWith('config reloaded')).toEqual([]);
    redis.thaw();
    expect(await reloaded).toBe(true);
    expect(await statuses(gateway, 4)).toEqual([200, 200, 200, 429]);
    expect(tap.count('a#0:')).toBe(4);
    expect(gateway.logsWith('rate limit store unavailable')).toEqual([]);
  });

  it('answer a request that a reload overtakes', async () => {
    const { gateway, redis, upstream } = await limitedInRedis({}, { timeout: '500ms' });
    await statuses(gateway, 1);
    redis.freeze();
    const waiting = gateway.get('/a', { agent: false });
    const routes = [{ id: 'a', path: '/a', backends: [upstream.backend] }];
    expect(await gateway.reload({ routes })).toBe(true);
    expect((await waiting).status).toBe(200);
    expect(await statuses(gateway, 5)).toEqual([200, 200, 200, 200, 200]);
    expect(await gateway.metric('gateway_rate_limit_store_up')).toBeUndefined();
    redis.thaw();
  });

  it('do not forward a request whose client left while Redis was asked', async () => {
    const { gateway, redis, tap, upstream } = await limitedInRedis({}, { timeout: '500ms' });
    await statuses(gateway, 1);
    const asked = tap.count('a#0:');
    redis.freeze();
    const client = await gateway.connect();
    await client.write('GET /a HTTP/1.1\r\nHost: h\r\n\r\n');
    await waitFor(() => tap.count('a#0:') > asked, 'Redis is asked');
    client.destroy();
    await gateway.logged('request completed', { status: 499 });
    redis.thaw();
    expect((await gateway.get('/a')).status).toBe(200);
    expect(upstream.requests).toHaveLength(2);
  });
});
