import { createHash } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { echoedHeader, echoUpstream, startTestGateway } from '../support/index.js';
import { open, wsUpstream } from '../websocket/support.js';

async function setUp(request: object, route: object = {}) {
  const upstream = await echoUpstream();
  const gateway = await startTestGateway({
    server: { trusted_proxies: ['127.0.0.1/32'] },
    routes: [{ path: '/u/{id}', backends: [upstream.backend], transform: { request }, ...route }],
  });
  return { upstream, gateway };
}

describe('transform.request', () => {
  it('sets, adds, removes and replaces headers', async () => {
    const { upstream, gateway } = await setUp({
      headers: {
        set: { 'X-User': '{id}', 'X-From': '{client_ip}/{request_id}/{identity.sub}' },
        add: { 'X-Many': 'more' },
        remove: ['X-Secret'],
        replace: [{ name: 'user-agent', pattern: '^([a-z]+)/.*$', replacement: '$1' }],
      },
    });
    await gateway.get('/u/gr%C3%BC%20x', {
      headers: {
        'x-user': 'forged',
        x_user: 'forged too',
        'x-secret': 's',
        'x-many': 'one',
        'user-agent': 'curl/8.1 (x)',
        'x-forwarded-for': '203.0.113.9',
        'x-request-id': 'mine',
      },
    });
    const echo = upstream.last!;
    expect(echoedHeader(echo, 'x-user')).toEqual(['gr%C3%BC x']);
    expect(echoedHeader(echo, 'x_user')).toEqual([]);
    expect(echoedHeader(echo, 'x-from')).toEqual(['203.0.113.9/mine/']);
    expect(echoedHeader(echo, 'x-many')).toEqual(['one', 'more']);
    expect(echoedHeader(echo, 'x-secret')).toEqual([]);
    expect(echoedHeader(echo, 'user-agent')).toEqual(['curl']);
  });

  it('edits the query after the rewrite, and leaves the rest in its bytes', async () => {
    const { upstream, gateway } = await setUp(
      {
        query: {
          set: { user: '{id}' },
          remove: ['token'],
          replace: [{ name: 'v', pattern: '^1$', replacement: '2' }],
        },
      },
      { rewrite: { path: '/v1/users' } },
    );
    await gateway.get('/u/7?a=%41+b&token=t&v=1&v=01&user=x&e=');
    expect(upstream.last!.url).toBe('/v1/users?a=%41+b&v=2&v=01&user=7&e=');
  });

  it('leaves the body and its frame alone', async () => {
    const { upstream, gateway } = await setUp({ headers: { set: { 'content-type': 'text/plain' } } });
    const body = Buffer.alloc(300_000, 'body');
    await gateway.request('/u/1', { method: 'POST', body });
    const { bodyBytes, sha256 } = upstream.last!;
    expect([bodyBytes, sha256]).toEqual([300_000, createHash('sha256').update(body).digest('hex')]);
    expect(echoedHeader(upstream.last!, 'content-length')).toEqual(['300000']);
  });

  it('applies to every attempt', async () => {
    const { upstream, gateway } = await setUp(
      { headers: { add: { 'x-a': '1' } }, query: { add: { q: '1' } } },
      { retry: { attempts: 2, backoff: '1ms', statuses: [500] } },
    );
    upstream.status = 500;
    await gateway.get('/u/1');
    expect(upstream.requests.map((echo) => [echo.url, echoedHeader(echo, 'x-a')])).toEqual([
      ['/u/1?q=1', ['1']],
      ['/u/1?q=1', ['1']],
    ]);
  });

  it('applies to WebSocket handshakes', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway({
      routes: [
        {
          path: '/ws/{room}',
          backends: [upstream.backend],
          transform: { request: { headers: { set: { 'x-room': '{room}' } }, query: { remove: ['token'] } } },
        },
      ],
    });
    await open(gateway, '/ws/7?token=t&a=%41');
    expect([upstream.last!.url, upstream.last!.headers['x-room']]).toEqual(['/ws/7?a=%41', '7']);
  });
});
