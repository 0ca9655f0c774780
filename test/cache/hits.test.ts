import { describe, expect, it } from 'vitest';

import { waitFor } from '../support/index.js';
import { cacheScene, send } from './support.js';

describe('a route that caches', () => {
  it('answers again from the store, with age, status and log', async () => {
    const { gateway, upstream } = await cacheScene((_request, response, count) =>
      send(response, `n${count}`, { 'cache-control': 'max-age=60', 'x-mine': 'yes', 'x-cache': 'theirs' }),
    );
    const first = await gateway.get('/a?x=1');
    expect([first.text, first.header('x-cache')]).toEqual(['n1', 'MISS']);
    expect(first.header('cache-status')).toBe('nexus; fwd=uri-miss; stored');
    const second = await gateway.get('/a?x=1');
    expect([second.text, second.header('x-cache'), second.header('x-mine')]).toEqual(['n1', 'HIT', 'yes']);
    expect(second.header('cache-status')).toMatch(/^nexus; hit; ttl=(59|60)$/);
    expect(Number(second.header('age'))).toBeLessThan(2);
    expect(second.header('content-length')).toBe('2');
    expect((await gateway.get('/a?x=2')).text).toBe('n2');
    expect(upstream.requests).toHaveLength(2);
    await gateway.logged('request completed', { cache: 'HIT', path: '/a?x=1' });
    await gateway.logged('request completed', { cache: 'MISS', path: '/a?x=1' });
  });

  it('answers HEAD from a stored GET, and never a GET from a HEAD', async () => {
    const { gateway, upstream } = await cacheScene((_request, response, count) =>
      send(response, `n${count}`, { 'cache-control': 'max-age=60' }),
    );
    expect((await gateway.request('/a', { method: 'HEAD' })).header('x-cache')).toBe('MISS');
    expect((await gateway.get('/a')).text).toBe('n2');
    const head = await gateway.request('/a', { method: 'HEAD' });
    expect([head.header('x-cache'), head.header('content-length'), head.text]).toEqual(['HIT', '2', '']);
    expect(upstream.requests).toHaveLength(2);
  });

  it('answers a condition and a range from the store', async () => {
    const { gateway, upstream } = await cacheScene((_request, response) =>
      send(response, '0123456789', { 'cache-control': 'max-age=60', etag: '"v1"', 'content-type': 'text/x' }),
    );
    await gateway.get('/a');
    const same = await gateway.get('/a', { headers: { 'if-none-match': 'W/"v1", "v0"' } });
    expect([same.status, same.text, same.header('etag')]).toEqual([304, '', '"v1"']);
    expect(same.header('content-type')).toBeUndefined();
    const part = await gateway.get('/a', { headers: { range: 'bytes=-3', 'if-range': '"v1"' } });
    expect([part.status, part.text, part.header('content-range')]).toEqual([206, '789', 'bytes 7-9/10']);
    const whole = await gateway.get('/a', { headers: { range: 'bytes=0-1', 'if-range': '"v0"' } });
    expect([whole.status, whole.text]).toEqual([200, '0123456789']);
    const beyond = await gateway.get('/a', { headers: { range: 'bytes=10-' } });
    expect([beyond.status, beyond.header('content-range')]).toEqual([416, 'bytes */10']);
    expect(upstream.requests).toHaveLength(1);
  });

  it('asks with its own validator, and takes over what a 304 says', async () => {
    const { gateway, upstream } = await cacheScene((request, response, count) => {
      const headers = { 'cache-control': 'max-age=0', etag: '"v1"', 'x-count': String(count) };
      if (request.headers['if-none-match'] === '"v1"') response.writeHead(304, headers).end();
      else send(response, 'body', headers);
    });
    await gateway.get('/a');
    const second = await gateway.get('/a', { headers: { 'if-none-match': '"other"' } });
    expect([second.status, second.text, second.header('x-count')]).toEqual([200, 'body', '2']);
    expect(second.header('cache-status')).toMatch(/^nexus; fwd=stale; fwd-status=304; ttl=(0|-1)$/);
    const third = await gateway.get('/a', { headers: { 'if-none-match': '"v1"' } });
    expect([third.status, third.header('x-count')]).toEqual([304, '3']);
    expect(upstream.requests).toHaveLength(3);
  });

  it('passes an answer on while it comes', async () => {
    let finish = (): void => {};
    const { gateway } = await cacheScene((_request, response) => {
      response.writeHead(200, { 'cache-control': 'max-age=60' }).write('first');
      finish = () => response.end('last');
    });
    const client = await gateway.connect();
    await client.write('GET /a HTTP/1.1\r\nHost: x\r\n\r\n');
    await waitFor(() => client.received.toString().includes('first'), 'the first piece');
    finish();
    await waitFor(() => client.received.toString().includes('last'), 'the last piece');
    const hit = await gateway.get('/a', { headers: { host: 'x' } });
    expect([hit.text, hit.header('x-cache')]).toEqual(['firstlast', 'HIT']);
  });

  it('refuses only-if-cached with 504 and sends nothing upstream', async () => {
    const { gateway, upstream } = await cacheScene((_request, response) => send(response, 'x'));
    const answer = await gateway.get('/a', { headers: { 'cache-control': 'only-if-cached' } });
    expect(answer.status).toBe(504);
    expect(upstream.requests).toHaveLength(0);
  });

  it.each([
    ['no-store', { 'cache-control': 'no-store, max-age=60' }],
    ['private', { 'cache-control': 'private, max-age=60' }],
    ['Set-Cookie', { 'cache-control': 'public, max-age=60', 'set-cookie': 'a=1' }],
    ['Vary: *', { 'cache-control': 'max-age=60', vary: 'accept, *' }],
    ['an event stream', { 'cache-control': 'max-age=60', 'content-type': 'text/event-stream' }],
  ])('never stores %s', async (_name, headers) => {
    const { gateway, upstream } = await cacheScene((_request, response) => send(response, 'x', headers));
    await gateway.get('/a');
    expect((await gateway.get('/a')).header('x-cache')).toBe('MISS');
    expect(upstream.requests).toHaveLength(2);
  });
});
