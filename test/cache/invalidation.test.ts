import type { IncomingMessage, ServerResponse } from 'node:http';

import { describe, expect, it } from 'vitest';

import { echoUpstream, startTestGateway, type TestGateway, waitFor } from '../support/index.js';
import { send } from './support.js';

/** GETs are stored and count up; others answer as their query says. */
async function shop(): Promise<{ gateway: TestGateway; held: ServerResponse[] }> {
  const counts = new Map<string, number>();
  const held: ServerResponse[] = [];
  const { backend } = await echoUpstream({
    respond: (request: IncomingMessage, response: ServerResponse) => {
      const { pathname, searchParams } = new URL(request.url!, 'http://x');
      const count = (counts.get(pathname) ?? 0) + 1;
      if (request.method !== 'GET') {
        const status = Number(searchParams.get('status') ?? 200);
        const location = searchParams.get('location');
        response.writeHead(status, { ...(location && { 'content-location': location }) }).end();
      } else if (pathname.endsWith('/held') && count === 1) {
        counts.set(pathname, count);
        held.push(response);
      } else {
        counts.set(pathname, count);
        send(response, `n${count}`, { 'cache-control': 'max-age=60', vary: 'accept-language' });
      }
    },
  });
  const gateway = await startTestGateway({
    upstreams: { u: { backends: [backend] } },
    routes: [
      { id: 'read', path: '/items', methods: ['GET'], upstream: 'u', cache: {} },
      { id: 'write', path: '/items/{id}', methods: ['POST', 'DELETE', 'LINK'], upstream: 'u' },
      { id: 'list', path: '/list', upstream: 'u', cache: {} },
      { id: 'orders', path: '/orders', upstream: 'u', cache: { invalidates: ['list'] } },
    ],
  });
  return { gateway, held };
}

async function textOf(gateway: TestGateway, path: string, headers = {}): Promise<string> {
  return (await gateway.get(path, { headers })).text;
}

describe('an unsafe request', () => {
  it('removes all variants of its target, though its own route does not cache', async () => {
    const { gateway } = await shop();
    const german = { 'accept-language': 'de' };
    expect([await textOf(gateway, '/items/1'), await textOf(gateway, '/items/1', german)]).toEqual([
      'n1',
      'n2',
    ]);
    expect(await textOf(gateway, '/items/2')).toBe('n1');
    await gateway.request('/items/1', { method: 'DELETE' });
    expect([await textOf(gateway, '/items/1', german), await textOf(gateway, '/items/1')]).toEqual([
      'n3',
      'n4',
    ]);
    expect(await textOf(gateway, '/items/2')).toBe('n1');
  });

  it('removes nothing when it fails', async () => {
    const { gateway } = await shop();
    await textOf(gateway, '/orders?status=404');
    await gateway.request('/orders?status=404', { method: 'POST' });
    expect(await textOf(gateway, '/orders?status=404')).toBe('n1');
    await gateway.request('/orders?status=302', { method: 'POST' });
  });

  it('removes what Content-Location names here, and nothing elsewhere', async () => {
    const { gateway } = await shop();
    await textOf(gateway, '/items/2');
    await gateway.request('/items/1?location=http%3A%2F%2Felsewhere%2Fitems%2F2', { method: 'POST' });
    expect(await textOf(gateway, '/items/2')).toBe('n1');
    await gateway.request('/items/1?location=2', { method: 'POST' });
    expect(await textOf(gateway, '/items/2')).toBe('n2');
  });

  it('removes what the routes named by `invalidates` stored', async () => {
    const { gateway } = await shop();
    await textOf(gateway, '/list/a');
    await textOf(gateway, '/items/1');
    await gateway.request('/orders/7', { method: 'PUT', body: 'x' });
    expect(await textOf(gateway, '/list/a')).toBe('n2');
    expect(await textOf(gateway, '/items/1')).toBe('n1');
  });

  it('keeps an answer that was under way from being stored', async () => {
    const { gateway, held } = await shop();
    const old = gateway.get('/items/held');
    await waitFor(() => held.length === 1, 'the first one');
    await gateway.request('/items/held', { method: 'POST' });
    send(held[0]!, 'old', { 'cache-control': 'max-age=60' });
    expect((await old).text).toBe('old');
    expect(await textOf(gateway, '/items/held')).toBe('n2');
  });

  it('tells that it has nothing from the store', async () => {
    const { gateway } = await shop();
    const answer = await gateway.request('/orders', { method: 'POST' });
    expect([answer.header('x-cache'), answer.header('cache-status')]).toEqual([
      'BYPASS',
      'nexus; fwd=method',
    ]);
    await gateway.logged('request completed', { method: 'POST', cache: 'BYPASS' });
  });
});

describe('spellings of one URI', () => {
  it.each([
    ['/items/abc', '/items/%61bc', {}],
    ['/items/%7eme', '/items/~me', {}],
    ['/items/a%2fb', '/items/a%2Fb', {}],
    ['/items/abc', '/items/abc', { host: 'shop.example:80' }],
    ['/items/abc', '/items/other?location=/items/%61bc', {}],
    ['/items/abc', '/items/other?location=http://shop.example:80/items/abc', {}],
  ])('what is stored for %s goes with a DELETE of %s %j', async (stored, changed, headers) => {
    const { gateway } = await shop();
    const host = { host: 'shop.example' };
    expect(await textOf(gateway, stored, host)).toBe('n1');
    expect(await textOf(gateway, stored, host)).toBe('n1');
    await gateway.request(changed, { method: 'DELETE', headers: { ...host, ...headers } });
    expect(await textOf(gateway, stored, host)).toBe('n2');
  });
});
