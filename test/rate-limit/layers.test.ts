import { describe, expect, it } from 'vitest';

import { type ClientResponse, echoUpstream, startTestGateway, type TestGateway } from '../support/index.js';
import { startRedis } from '../support/redis.js';

const KEYS = [
  { id: 'ann', key: 'key-of-ann' },
  { id: 'ben', key: 'key-of-ben' },
  { id: 'small', key: 'key-of-small', rate_limit: { requests: 1, per: '1h' } },
];
const PER_HOUR = { per: '1h' };

function as(name: string): { headers: Record<string, string> } {
  return { headers: { 'x-api-key': `key-of-${name}` } };
}

async function get(gateway: TestGateway, path: string, names: readonly string[]): Promise<ClientResponse[]> {
  const answers: ClientResponse[] = [];
  // oxlint-disable-next-line no-await-in-loop -- one after the other.
  for (const name of names) answers.push(await gateway.get(path, as(name)));
  return answers;
}

function statusesOf(answers: readonly ClientResponse[]): number[] {
  return answers.map(({ status }) => status);
}

const STORES = ['memory', 'redis'] as const;

/** Two routes with keys over one upstream; all limits in one kind of store. */
async function scene(store: (typeof STORES)[number], limits: object, route: object = {}) {
  const upstream = await echoUpstream();
  const redis = store === 'redis' ? await startRedis() : null;
  const gateway = await startTestGateway({
    redis: redis && { url: redis.url, command_timeout: '2s' },
    auth: { api_keys: { keys: KEYS } },
    upstreams: { up: { backends: [upstream.backend] } },
    routes: ['a', 'b'].map((id) => ({ id, path: `/${id}`, upstream: 'up', auth: 'api_key', ...route })),
    ...limits,
  });
  return { gateway, upstream };
}

describe.each(STORES)('limits in layers, in %s', (store) => {
  const limit = (requests: number, more: object = {}) => ({ requests, ...PER_HOUR, store, ...more });

  it('each user has one bucket over all routes', async () => {
    const { gateway } = await scene(store, { rate_limit_per_user: limit(2) });
    expect(statusesOf(await get(gateway, '/a', ['ann', 'ben']))).toEqual([200, 200]);
    expect(statusesOf(await get(gateway, '/b', ['ann', 'ann', 'ben', 'ben']))).toEqual([200, 429, 200, 429]);
    expect(await gateway.metric('gateway_rate_limited_total', { path: '/b', limit: 'user' })).toBe(2);
    await gateway.logged('rate limit exceeded', { route: 'b', limit: 'user' });
  });

  it('a key with a limit of its own has that one too', async () => {
    const { gateway } = await scene(store, { rate_limit_per_user: limit(2) });
    expect(statusesOf(await get(gateway, '/a', ['small', 'small', 'ann']))).toEqual([200, 429, 200]);
    const [refused] = await get(gateway, '/b', ['small']);
    expect(refused!.status).toBe(429);
    expect(refused!.header('ratelimit')).toContain('"key";r=0;');
    expect(await gateway.metric('gateway_rate_limited_total', { path: '/a', limit: 'key' })).toBe(1);
  });

  it('what the user’s limit refuses is given back to the route’s and the global one', async () => {
    const { gateway } = await scene(
      store,
      { rate_limit_per_user: limit(1), rate_limit_global: limit(100) },
      { rate_limit: limit(5) },
    );
    const answers = await get(gateway, '/a', [...Array<string>(8).fill('ann'), 'ben']);
    expect(statusesOf(answers)).toEqual([200, 429, 429, 429, 429, 429, 429, 429, 200]);
    expect(answers.at(-1)!.header('ratelimit')).toMatch(
      /^"default";r=3;t=\d+, "global";r=98;t=\d+, "user";r=0;t=\d+$/,
    );
    expect(answers[4]!.header('ratelimit')).toMatch(/^"default";r=4;t=\d+, "global";r=99;t=\d+, "user";r=0;/);
  });

  it('what the upstream’s limit refuses is given back to all of them', async () => {
    const { gateway, upstream } = await scene(
      store,
      { rate_limit_per_upstream: limit(2), rate_limit_per_user: limit(50) },
      { rate_limit: limit(5) },
    );
    const answers = await get(gateway, '/a', ['ann', 'ann', 'ann', 'ann', 'ann', 'ann', 'ann']);
    expect(statusesOf(answers)).toEqual([200, 200, 429, 429, 429, 429, 429]);
    expect(answers.at(-1)!.header('ratelimit')).toMatch(
      /^"default";r=3;t=\d+, "user";r=48;t=\d+, "upstream";r=0;/,
    );
    expect(Number(answers.at(-1)!.header('retry-after'))).toBeGreaterThan(0);
    expect(statusesOf(await get(gateway, '/b', ['ben']))).toEqual([429]);
    expect(upstream.requests).toHaveLength(2);
  });

  it('who is not let in has used up its address’ limit, nobody’s user limit', async () => {
    const { gateway } = await scene(store, { rate_limit_per_user: limit(1) }, { rate_limit: limit(3) });
    expect(statusesOf(await get(gateway, '/a', ['nobody', 'nobody', 'ann', 'ben']))).toEqual([
      401, 401, 200, 429,
    ]);
  });
});

describe('the limit of an upstream', () => {
  it('counts a request once, however often it is tried', async () => {
    const upstream = await echoUpstream();
    upstream.status = 503;
    const gateway = await startTestGateway({
      rate_limit_per_upstream: { requests: 2, ...PER_HOUR },
      routes: [
        { path: '/a', retry: { attempts: 3, backoff: '1ms', jitter: false }, backends: [upstream.backend] },
      ],
    });
    const answers = [await gateway.get('/a'), await gateway.get('/a'), await gateway.get('/a')];
    expect(statusesOf(answers)).toEqual([503, 503, 429]);
    expect(upstream.requests).toHaveLength(6);
  });

  it('does not count copies', async () => {
    const [upstream, shadow] = [await echoUpstream(), await echoUpstream()];
    const gateway = await startTestGateway({
      rate_limit_per_upstream: { requests: 2, ...PER_HOUR },
      upstreams: { shadow: { backends: [shadow.backend] } },
      routes: [
        { path: '/a', mirror: { upstream: 'shadow', percent: 100 }, backends: [upstream.backend] },
        { path: '/shadow', upstream: 'shadow' },
      ],
    });
    expect(statusesOf([await gateway.get('/a'), await gateway.get('/a'), await gateway.get('/a')])).toEqual([
      200, 200, 429,
    ]);
    await expect.poll(() => shadow.requests.length).toBe(2);
    expect(statusesOf([await gateway.get('/shadow'), await gateway.get('/shadow')])).toEqual([200, 200]);
  });

  it('costs an answer from the cache nothing', async () => {
    const upstream = await echoUpstream();
    const gateway = await startTestGateway({
      rate_limit_per_upstream: { requests: 1, ...PER_HOUR },
      routes: [{ path: '/a', cache: { ttl: '60s' }, backends: [upstream.backend] }],
    });
    const answers = [await gateway.get('/a'), await gateway.get('/a'), await gateway.get('/a')];
    expect(statusesOf(answers)).toEqual([200, 200, 200]);
    expect(answers[2]!.header('x-cache')).toBe('HIT');
    expect((await gateway.get('/a/other')).status).toBe(429);
  });

  it('lets stale answers be served while it refuses to renew them', async () => {
    const upstream = await echoUpstream();
    upstream.headers = { 'cache-control': 'max-age=0, stale-while-revalidate=60' };
    const gateway = await startTestGateway({
      rate_limit_per_upstream: { requests: 1, ...PER_HOUR },
      routes: [{ path: '/a', cache: { ttl: '60s' }, backends: [upstream.backend] }],
    });
    const answers = [await gateway.get('/a'), await gateway.get('/a'), await gateway.get('/a')];
    expect(statusesOf(answers)).toEqual([200, 200, 200]);
    expect(answers[2]!.header('x-cache')).toBe('STALE');
    expect(upstream.requests).toHaveLength(1);
    expect(gateway.logs.filter(({ level }) => level === 'ERROR')).toEqual([]);
  });

  it('is that of the upstream which a split chose', async () => {
    const [one, two] = [await echoUpstream(), await echoUpstream()];
    const gateway = await startTestGateway({
      rate_limit_per_upstream: { requests: 1, ...PER_HOUR },
      upstreams: { v1: { backends: [one.backend] }, v2: { backends: [two.backend] } },
      routes: [
        {
          path: '/a',
          split: [
            { upstream: 'v1', weight: 100 },
            { upstream: 'v2', weight: 0, headers: { 'x-canary': '1' } },
          ],
        },
      ],
    });
    const canary = { headers: { 'x-canary': '1' } };
    const answers = [await gateway.get('/a'), await gateway.get('/a', canary), await gateway.get('/a')];
    expect(statusesOf(answers)).toEqual([200, 200, 429]);
    expect([one.requests.length, two.requests.length]).toEqual([1, 1]);
  });

  it('sends a body that waited for Redis whole', async () => {
    const [upstream, redis] = [await echoUpstream(), await startRedis()];
    const gateway = await startTestGateway({
      redis: { url: redis.url, command_timeout: '2s' },
      rate_limit_per_upstream: { requests: 2, ...PER_HOUR, store: 'redis' },
      routes: [{ path: '/a', backends: [upstream.backend] }],
    });
    const body = Buffer.alloc(3_000_000, 'x');
    const answers = [
      await gateway.request('/a', { method: 'POST', body }),
      await gateway.request('/a', { method: 'POST', body }),
      await gateway.request('/a', { method: 'POST', body }),
    ];
    expect(statusesOf(answers)).toEqual([200, 200, 429]);
    expect(upstream.requests.map(({ bodyBytes }) => bodyBytes)).toEqual([3_000_000, 3_000_000]);
  });
});
