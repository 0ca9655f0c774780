import type { ServerResponse } from 'node:http';

import { describe, expect, it } from 'vitest';

import {
  echoUpstream,
  freePort,
  startRedis,
  startTestGateway,
  type TestGateway,
  type TestRedis,
  waitFor,
} from '../support/index.js';
import { missing } from '../support/programs.mjs';

interface Scene {
  readonly redis: TestRedis;
  readonly gateways: readonly TestGateway[];
  /** Requests that the upstream got. */
  readonly count: () => number;
}

async function scene(gateways = 1, redisArgs: readonly string[] = [], auth = ''): Promise<Scene> {
  const redis = await startRedis(redisArgs);
  let count = 0;
  const upstream = await echoUpstream({
    respond: (_request, response) => {
      response.writeHead(200, { 'Cache-Control': 'max-age=60', 'X-Count': String(++count) });
      response.end(Buffer.from([0, 200, 255]));
    },
  });
  const document = {
    redis: { url: `redis://${auth}127.0.0.1:${redis.port}`, command_timeout: '100ms' },
    cache: { store: 'redis' },
    routes: [{ id: 'cached', path: '/', backends: [upstream.backend], cache: {} }],
  };
  const started = Array.from({ length: gateways }, () => startTestGateway(document, { admin: true }));
  return { redis, gateways: await Promise.all(started), count: () => count };
}

/** Entries belong to a host: both gateways are asked by one name. */
const HOST = { headers: { host: 'shop.example' } };

/** Asks until the store is open and the answer comes from it. */
function untilHit(gateway: TestGateway, path = '/'): Promise<unknown> {
  return waitFor(async () => (await gateway.get(path, HOST)).headers['x-cache'] === 'HIT', 'a hit');
}

it('a cache whose Redis is not there stores nothing, and says so', async () => {
  const upstream = await echoUpstream({
    respond: (_request, response) => void response.writeHead(200, { 'Cache-Control': 'max-age=60' }).end('x'),
  });
  const gateway = await startTestGateway({
    redis: { url: `redis://127.0.0.1:${await freePort()}` },
    cache: { store: 'redis' },
    routes: [{ path: '/', backends: [upstream.backend], cache: {} }],
  });
  await gateway.logged('cache store unavailable');
  const answer = await gateway.get('/');
  expect([answer.status, answer.header('x-cache'), answer.header('cache-status')]).toEqual([
    200,
    'MISS',
    'nexus; fwd=uri-miss',
  ]);
  expect(await gateway.metric('gateway_cache_misses_total', { path: '/' })).toBe(1);
  expect(await gateway.metric('gateway_cache_stores_total', { path: '/' })).toBe(0);
});

describe.skipIf(missing('redis-server') !== false)('a cache in Redis', () => {
  it('is shared by gateways, byte for byte', async () => {
    const { gateways, count } = await scene(2);
    const [first, second] = gateways as [TestGateway, TestGateway];
    await untilHit(second, '/open');
    await untilHit(first);
    const before = count();
    const hit = await second.get('/', HOST);
    expect(hit.headers['x-cache']).toBe('HIT');
    expect([...hit.body]).toEqual([0, 200, 255]);
    expect(count()).toBe(before);
    await first.request('/', { method: 'POST', body: 'x', ...HOST });
    await waitFor(
      async () => (await second.get('/', HOST)).headers['x-cache'] === 'MISS',
      'the other gateway sees the invalidation',
    );
  });

  it('does without a Redis that stands still, then asks it no more, and takes it up again', async () => {
    const { redis, gateways } = await scene();
    const gateway = gateways[0]!;
    await untilHit(gateway);
    redis.freeze();
    const first = await gateway.get('/');
    expect([first.status, first.headers['x-cache']]).toEqual([200, 'MISS']);
    const { err } = await gateway.logged('cache store unavailable');
    expect(err).toBe('no answer within 100 ms');
    for (let at = 0; at < 20; at++) expect((await gateway.get('/')).headers['x-cache']).toBe('MISS');
    redis.thaw();
    await untilHit(gateway);
    expect(gateway.logsWith('cache store unavailable')).toHaveLength(1);
    expect(gateway.logsWith('cache store recovered')).toHaveLength(1);
  });

  it('starts without a Redis and without its password in the log', async () => {
    const { redis, gateways } = await scene(1, [], 'someone:s3cret@');
    const gateway = gateways[0]!;
    expect((await gateway.get('/')).status).toBe(200);
    await gateway.logged('cache store unavailable', { store: 'redis' });
    expect(gateway.rawLogs.join()).not.toContain('s3cret');
    await redis.ask('ACL SETUSER someone on >s3cret ~* +@all');
    await untilHit(gateway);
    expect(gateway.rawLogs.join()).not.toContain('s3cret');
  });

  it('answers all requests while Redis ends under them', async () => {
    const { redis, gateways } = await scene();
    const gateway = gateways[0]!;
    await untilHit(gateway);
    const asked = Array.from({ length: 200 }, (_, at) => gateway.get(`/${at % 20}`));
    await redis.stop();
    expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([200]));
    await gateway.logged('cache store unavailable');
    expect((await gateway.get('/')).status).toBe(200);
  });

  it('goes from memory to Redis and back with a reload', async () => {
    const { redis, gateways } = await scene();
    const gateway = gateways[0]!;
    await untilHit(gateway);
    const upstream = await echoUpstream();
    const route = { id: 'cached', path: '/', backends: [upstream.backend], cache: {} };
    expect(await gateway.reload({ routes: [route] })).toBe(true);
    await untilHit(gateway, '/memory');
    await waitFor(
      async () => !(await redis.ask('CLIENT LIST')).includes('name=nexus-gateway'),
      'the connection that nothing needs is closed',
    );
    const back = { redis: { url: redis.url }, cache: { store: 'redis' }, routes: [route] };
    expect(await gateway.reload(back)).toBe(true);
    await untilHit(gateway, '/redis');
    expect(await redis.ask('DBSIZE')).not.toMatch(/^:0/);
  });

  it('stores no answer that an unsafe request through another gateway overtook', async () => {
    const redis = await startRedis();
    const held: ServerResponse[] = [];
    let text = 'old';
    const { backend } = await echoUpstream({
      respond: (request, response) => {
        response.writeHead(200, { 'Cache-Control': 'max-age=60' });
        if (request.method === 'PUT') text = 'new';
        if (request.url === '/a' && request.method === 'GET' && text === 'old') held.push(response);
        else response.end(text);
      },
    });
    const document = {
      redis: { url: `redis://127.0.0.1:${redis.port}`, command_timeout: '2s' },
      cache: { store: 'redis' },
      routes: [{ id: 'cached', path: '/', backends: [backend], cache: {} }],
    };
    const [first, second] = [await startTestGateway(document), await startTestGateway(document)];
    await untilHit(first, '/open');
    await untilHit(second, '/open');
    const overtaken = first.get('/a', HOST);
    await waitFor(() => held.length === 1, 'the upstream is asked');
    await second.request('/a', { method: 'PUT', body: 'x', ...HOST });
    await waitFor(async () => {
      const { text: seen, headers } = await second.get('/a', HOST);
      return seen === 'new' && headers['x-cache'] === 'HIT';
    }, 'the new answer is stored');
    held[0]!.end('old');
    expect((await overtaken).text).toBe('old');
    for (const gateway of [first, second])
      expect([(await gateway.get('/a', HOST)).text, (await gateway.get('/b', HOST)).text]).toEqual([
        'new',
        'new',
      ]);
  });
});
