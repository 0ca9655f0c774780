import { describe, expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import { echoUpstream, freePort, rawUpstream, startTestGateway } from '../support/index.js';
import { before } from './scene.js';

const QUICK = { backoff: '10ms', jitter: false };

async function failing(route: object) {
  const upstream = await echoUpstream();
  upstream.status = 503;
  return { upstream, gateway: await before(upstream, route) };
}

describe('case 36: only idempotent methods are retried by default', () => {
  it('GET, PUT, DELETE three times; POST and PATCH once', async () => {
    const { upstream, gateway } = await failing({ retry: QUICK });
    for (const [method, hits] of [
      ['GET', 3],
      ['PUT', 3],
      ['DELETE', 3],
      ['POST', 1],
      ['PATCH', 1],
    ] as const) {
      upstream.requests.length = 0;
      const response = await gateway.request(`/p/${method}`, { method, body: method === 'GET' ? '' : 'abc' });
      expect([method, response.status, upstream.requests.length]).toEqual([method, 503, hits]);
      // The last answer of the upstream, as it came.
      expect(response.json()).toMatchObject({ method, reqNo: expect.any(Number) as number });
      const line = await gateway.logged('request completed', { path: `/p/${method}` });
      expect(line).toMatchObject({ status: 503, attempts: hits, reason: null });
    }
    expect(await gateway.metric('gateway_retries_total', { path: '/p', reason: '503' })).toBe(6);
    await untilAtRest(gateway);
  });

  it('none without a retry block', async () => {
    const { upstream, gateway } = await failing({});
    for (const method of ['GET', 'PUT', 'DELETE', 'POST', 'PATCH']) {
      expect((await gateway.request('/p', { method })).status).toBe(503);
    }
    expect(upstream.requests).toHaveLength(5);
    expect(await gateway.metric('gateway_retries_total')).toBeUndefined();
  });

  it('after a refused connection nothing was sent: POST goes on to the next backend, retry or not', async () => {
    for (const retry of [null, QUICK]) {
      const upstream = await echoUpstream();
      const backends = [{ url: `http://127.0.0.1:${await freePort()}` }, upstream.backend];
      const gateway = await startTestGateway({ routes: [{ path: '/', backends, retry }] });
      for (const body of ['a', 'b', 'c']) {
        const response = await gateway.request('/x', { method: 'POST', body });
        expect([response.status, response.json()['bodyBytes']]).toEqual([200, 1]);
      }
      expect(upstream.requests).toHaveLength(3);
      expect(gateway.logsWith('request completed', { attempts: 2 }).length).toBeGreaterThan(0);
      expect(await gateway.metric('gateway_retries_total')).toBeUndefined();
    }
  });

  it('and where all refuse, POST is tried again later, as nothing was sent', async () => {
    const port = await freePort();
    const gateway = await startTestGateway({
      routes: [
        { path: '/', backends: [{ url: `http://127.0.0.1:${port}` }], retry: { attempts: 50, ...QUICK } },
      ],
    });
    const answer = gateway.request('/x', { method: 'POST', body: 'abc' });
    await gateway.logged('upstream request failed', { attempt: 2, reason: 'upstream_unavailable' });
    const upstream = await echoUpstream({ port });
    expect((await answer).json()).toMatchObject({ bodyBytes: 3 });
    expect(upstream.requests).toHaveLength(1);
    await untilAtRest(gateway);
  });

  it('POST that may have been sent is never sent twice', async () => {
    const upstream = await rawUpstream(async (connection) => {
      await connection.head();
      connection.reset();
    });
    const gateway = await before(upstream, { retry: QUICK });
    for (const body of ['', 'abc', 'x'.repeat(100_000)]) {
      expect((await gateway.request('/p', { method: 'POST', body })).status).toBe(502);
    }
    expect(upstream.connections).toHaveLength(3);
    await untilAtRest(gateway);
  });
});

describe('case 37: retry budget and time', () => {
  it('one deadline over all attempts: one 504 at it', async () => {
    const upstream = await rawUpstream(() => {});
    const gateway = await before(upstream, { timeout: '500ms', retry: { attempts: 5, ...QUICK } });
    const start = performance.now();
    const response = await gateway.get('/p');
    const ms = performance.now() - start;
    expect([response.status, response.json()['code']]).toEqual([504, 'upstream_timeout']);
    expect(ms).toBeGreaterThan(480);
    expect(ms).toBeLessThan(2_000);
    await gateway.logged('request completed', { status: 504, attempts: 1 });
    expect(upstream.connections).toHaveLength(1);
    await untilAtRest(gateway);
  });

  it('`timeouts.response` is for each attempt, `timeout` for them all', async () => {
    const upstream = await rawUpstream(() => {});
    const route = { timeout: '1500ms', timeouts: { response: '200ms' }, retry: { attempts: 50, ...QUICK } };
    const gateway = await before(upstream, route);
    expect((await gateway.get('/p')).status).toBe(504);
    const { attempts } = await gateway.logged('request completed', {
      status: 504,
      reason: 'upstream_timeout',
    });
    expect(attempts).toBeGreaterThanOrEqual(2);
    expect(attempts).toBeLessThanOrEqual(8);
    expect(upstream.requests).toHaveLength(attempts as number);
    expect(gateway.logsWith('upstream request failed')).toHaveLength(attempts as number);
    expect(await gateway.metric('gateway_retries_total', { reason: 'upstream_timeout' })).toBe(
      (attempts as number) - 1,
    );
    await untilAtRest(gateway);
  });

  it.each([
    ['the deadline', { timeout: '2s' }],
    ['the total time', { timeouts: { total: '2s' } }],
  ])('`Retry-After` beyond %s is not slept on: the answer passes as it is', async (_, times) => {
    const { upstream, gateway } = await failing({ ...times, retry: QUICK });
    upstream.headers = { 'retry-after': '5' };
    const response = await gateway.get('/p');
    expect([response.status, response.header('retry-after')]).toEqual([503, '5']);
    expect(upstream.requests).toHaveLength(1);
    await gateway.logged('request completed', { status: 503, attempts: 1 });
  });

  it('`Retry-After` within it is waited for', async () => {
    const { upstream, gateway } = await failing({ retry: { attempts: 2, ...QUICK } });
    upstream.headers = { 'retry-after': '1' };
    const start = performance.now();
    expect((await gateway.get('/p')).status).toBe(503);
    expect(performance.now() - start).toBeGreaterThanOrEqual(990);
    expect(upstream.requests).toHaveLength(2);
  });

  it('a flood of failing requests makes no more retries than the budget has', async () => {
    const { upstream, gateway } = await failing({ retry: { ...QUICK, attempts: 3, budget: '20%' } });
    const start = performance.now();
    const flood = Array.from({ length: 400 }, () => gateway.get('/p'));
    expect((await Promise.all(flood)).every(({ status }) => status === 503)).toBe(true);
    const seconds = (performance.now() - start) / 1_000;
    const retries = upstream.requests.length - 400;
    expect(retries).toBeGreaterThan(30);
    expect(retries).toBeLessThanOrEqual(0.2 * 400 + 3 * seconds);
    expect(await gateway.metric('gateway_retries_total', { reason: '503' })).toBe(retries);
  });
});
