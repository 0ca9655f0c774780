import type { ServerResponse } from 'node:http';

import { describe, expect, it } from 'vitest';

import { waitFor } from '../support/index.js';
import { cacheScene, send } from '../cache/support.js';

describe('a stale answer', () => {
  it('is served while a new one is fetched, once for all who ask', async () => {
    const open: ServerResponse[] = [];
    const { gateway } = await cacheScene((_request, response, count) => {
      if (count === 1) send(response, 'old', { 'cache-control': 'max-age=0, stale-while-revalidate=60' });
      else open.push(response);
    });
    expect((await gateway.get('/a')).text).toBe('old');
    const stale = await Promise.all([1, 2, 3].map(() => gateway.get('/a')));
    for (const one of stale) expect([one.text, one.header('x-cache')]).toEqual(['old', 'STALE']);
    await waitFor(() => open.length > 0, 'the one that is fetched');
    send(open[0]!, 'new', { 'cache-control': 'max-age=60' });
    const hit = await waitFor(async () => {
      const answer = await gateway.get('/a');
      return answer.text === 'new' ? answer : null;
    }, 'the new one');
    expect(hit.header('x-cache')).toBe('HIT');
    expect(open).toHaveLength(1);
    await gateway.logged('request completed', { cache: 'STALE' });
  });

  const FAILURES: [string, (response: ServerResponse) => void][] = [
    ['says 503', (response) => void response.writeHead(503).end('no')],
    ['breaks off before its head', (response) => void response.socket!.resetAndDestroy()],
  ];

  it.each(FAILURES)('covers an upstream that %s, where that is allowed', async (_name, fail) => {
    const { gateway } = await cacheScene(
      (request, response, count) => {
        const must = request.url === '/must' ? ', must-revalidate' : '';
        if (count <= 2) send(response, 'old', { 'cache-control': `max-age=0${must}`, etag: '"1"' });
        else fail(response);
      },
      { stale_if_error: '1h' },
    );
    await gateway.get('/may');
    await gateway.get('/must');
    const covered = await gateway.get('/may');
    expect([covered.status, covered.text, covered.header('x-cache')]).toEqual([200, 'old', 'STALE']);
    expect(covered.header('cache-status')).toMatch(/^nexus; fwd=stale;( fwd-status=503;)? ttl=(0|-1)$/);
    expect((await gateway.get('/must')).status).toBeGreaterThanOrEqual(502);
    const wanted = await gateway.get('/may', { headers: { 'cache-control': 'no-cache' } });
    expect(wanted.status).toBeGreaterThanOrEqual(502);
  });

  it('is served when the client takes it, and not when it wants newer', async () => {
    const { gateway, upstream } = await cacheScene((_request, response, count) =>
      send(response, `n${count}`, { 'cache-control': 'max-age=100', age: '200', etag: '"1"' }),
    );
    const ask = (control: string) => gateway.get('/a', { headers: { 'cache-control': control } });
    await gateway.get('/a');
    expect((await ask('max-stale=1000')).header('x-cache')).toBe('STALE');
    expect((await ask('max-stale')).header('cache-status')).toMatch(/^nexus; hit; ttl=-10\d$/);
    expect((await ask('max-stale=10')).text).toBe('n2');
    expect((await ask('no-store')).header('x-cache')).toBe('BYPASS');
    expect(upstream.requests).toHaveLength(3);
  });
});
