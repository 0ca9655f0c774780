import type { ServerResponse } from 'node:http';

import { describe, expect, it } from 'vitest';

import { echoUpstream, request, startTestGateway, type TestGateway, waitFor } from '../support/index.js';

async function scene(cache: object = {}): Promise<TestGateway> {
  const upstream = await echoUpstream();
  const route = { backends: [upstream.backend], cache: {} };
  return startTestGateway(
    {
      cache,
      routes: [
        { id: 'users', path: '/users', ...route },
        { id: 'orders', path: '/orders', ...route },
        { id: 'open', path: '/open', backends: [upstream.backend] },
      ],
    },
    { admin: true },
  );
}

async function clear(gateway: TestGateway, body: string) {
  const answer = await request(`${gateway.adminUrl}/api/cache/clear`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return { status: answer.status, json: JSON.parse(answer.text) as Record<string, unknown> };
}

async function stats(gateway: TestGateway): Promise<Record<string, unknown> & { routes: { id: string }[] }> {
  const { status, text } = await request(`${gateway.adminUrl}/api/cache/stats`);
  expect(status).toBe(200);
  return JSON.parse(text) as Awaited<ReturnType<typeof stats>>;
}

describe('the cache over the admin port', () => {
  it('tells what is stored and what became of requests', async () => {
    const gateway = await scene();
    for (const path of ['/users/1', '/users/1', '/users/2', '/orders', '/open']) await gateway.get(path);
    const { routes, bytes, ...totals } = await stats(gateway);
    const users = { id: 'users', entries: 2, hits: 1, misses: 2, stores: 2, evictions: 0, invalidations: 0 };
    expect(routes.find(({ id }) => id === 'users')).toMatchObject(users);
    expect(routes.find(({ id }) => id === 'open')).toBeUndefined();
    expect(totals).toEqual({ entries: 3, hits: 1, misses: 3, stores: 3, evictions: 0, invalidations: 0 });
    expect(bytes).toBe(await gateway.metric('gateway_cache_bytes'));
    expect(bytes).toBe(routes.reduce((sum, route) => sum + Reflect.get(route, 'bytes'), 0));
  });

  it('counts by path in the metrics', async () => {
    const gateway = await scene();
    for (const path of ['/users/1', '/users/1']) await gateway.get(path);
    await gateway.request('/users/1', { method: 'DELETE' });
    const names = ['hits', 'misses', 'stores', 'invalidations'];
    const series = names.map((name) => gateway.metric(`gateway_cache_${name}_total`, { path: '/users' }));
    expect(await Promise.all(series)).toEqual([1, 1, 1, 1]);
  });

  it('counts what had to make room', async () => {
    const gateway = await scene({ max_size: '10kb', max_entry_size: '10kb' });
    for (let at = 0; at < 20; at++) await gateway.get(`/users/${at}`);
    expect(await gateway.metric('gateway_cache_evictions_total', { path: '/users' })).toBeGreaterThan(5);
    expect(await gateway.metric('gateway_cache_bytes')).toBeLessThanOrEqual(10 * 1024);
  });

  it.each([
    ['{}', 4, []],
    ['{"route": "users"}', 2, ['/orders/1', '/orders/2']],
    ['{"path": "/users/1"}', 1, ['/users/2', '/orders/1', '/orders/2']],
    ['{"route": "orders", "path": "/users/1"}', 0, ['/users/1', '/users/2', '/orders/1', '/orders/2']],
  ])('clears what %s means', async (body, cleared, left) => {
    const gateway = await scene();
    const paths = ['/users/1', '/users/2', '/orders/1', '/orders/2'];
    for (const path of paths) await gateway.get(path);
    expect(await clear(gateway, body)).toEqual({ status: 200, json: { cleared } });
    expect((await stats(gateway))['entries']).toBe(left.length);
    const hits = await Promise.all(paths.map(async (path) => (await gateway.get(path)).headers['x-cache']));
    expect(paths.filter((_, at) => hits[at] === 'HIT')).toEqual(left);
  });

  it('says which routes there are to one that no route is', async () => {
    const { status, json } = await clear(await scene(), '{"route": "userss"}');
    expect(status).toBe(404);
    expect(json).toMatchObject({ code: 'route_not_found', known: ['users', 'orders', 'open'] });
  });

  it.each([
    ['{"route": null}', '/route'],
    ['{"path": 1}', '/path'],
    ['{"path": "users"}', '/path'],
    ['{"path": "/users?x=1"}', '/path'],
    ['{"paths": "/users"}', '/paths'],
  ])('clears nothing for %s', async (body, pointer) => {
    const gateway = await scene();
    await gateway.get('/users/1');
    const { status, json } = await clear(gateway, body);
    expect([status, json['code']]).toEqual([400, 'validation_failed']);
    expect(json['errors']).toMatchObject([{ in: 'body', pointer }]);
    expect((await stats(gateway))['entries']).toBe(1);
  });

  it('keeps what is stored over a reload, in a store of another size too', async () => {
    const gateway = await scene();
    const upstream = await echoUpstream();
    const routes = [{ id: 'users', path: '/users', backends: [upstream.backend], cache: {} }];
    expect(await gateway.reload({ routes })).toBe(true);
    await gateway.get('/users/1');
    expect(await gateway.reload({ routes, cache: { max_size: '1mb' } })).toBe(true);
    expect((await gateway.get('/users/1')).headers['x-cache']).toBe('HIT');
    expect(await gateway.reload({ routes, cache: { max_size: '2kb', max_entry_size: '2kb' } })).toBe(true);
    expect((await stats(gateway))['bytes']).toBeLessThanOrEqual(2048);
  });
});

it.each(['{}', '{"route": "held"}', '{"path": "/held"}', '{"route": "other"}'])(
  'what was under way while %s was cleared is stored only if it was not meant',
  async (body) => {
    const held: ServerResponse[] = [];
    const { backend } = await echoUpstream({
      respond: (_request, response) => {
        if (held.length === 0) held.push(response);
        else response.end('new');
      },
    });
    const route = { backends: [backend], cache: {} };
    const routes = [
      { id: 'held', path: '/held', ...route },
      { id: 'other', path: '/other', ...route },
    ];
    const gateway = await startTestGateway({ routes }, { admin: true });
    const first = gateway.get('/held');
    await waitFor(() => held.length === 1, 'the upstream is asked');
    expect((await clear(gateway, body)).status).toBe(200);
    held[0]!.end('old');
    expect((await first).text).toBe('old');
    expect((await gateway.get('/held')).text).toBe(body.includes('other') ? 'old' : 'new');
  },
);
