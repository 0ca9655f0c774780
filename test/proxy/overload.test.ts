import { describe, expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import {
  echoUpstream,
  freePort,
  type RawConnection,
  rawUpstream,
  startTestGateway,
} from '../support/index.js';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

async function narrow(limits: object, route: object = {}) {
  const heads: RawConnection[] = [];
  const upstream = await rawUpstream(async (connection) => {
    for (let index = 0; ; index++) {
      await connection.until(() => connection.requests[index], 'a request', { timeoutMs: 20_000 });
      heads.push(connection);
    }
  });
  const gateway = await startTestGateway({
    upstreams: { one: { backends: [upstream.backend], connection: limits } },
    routes: [{ path: '/', upstream: 'one', ...route }],
  });
  const arrived = (count: number) => expect.poll(() => heads.length).toBe(count);
  const active = (count: number) => expect.poll(() => gateway.metric('gateway_active_requests')).toBe(count);
  return { upstream, gateway, heads, arrived, active };
}

describe('max_connections and max_pending', () => {
  it('queue what does not fit, in order, over one connection', async () => {
    const { upstream, gateway, heads, arrived, active } = await narrow({ max_connections: 1 });
    const paths = ['/1', '/2', '/3', '/4', '/5'];
    const answers: Promise<{ status: number }>[] = [];
    for (const path of paths) {
      answers.push(gateway.get(path));
      await active(answers.length);
    }
    for (let served = 0; served < paths.length; served++) {
      await arrived(served + 1);
      await heads[served]!.write(OK);
    }
    expect((await Promise.all(answers)).map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200]);
    expect(upstream.connections).toHaveLength(1);
    expect(upstream.requests.map((request) => request.target)).toEqual(paths);
    await untilAtRest(gateway);
  });

  it('answer 503 overloaded at once beyond that, and serve again afterwards', async () => {
    const { gateway, heads, arrived, active } = await narrow({ max_connections: 1, max_pending: 2 });
    const waiting = [gateway.get('/1'), gateway.get('/2'), gateway.get('/3')];
    await active(3);
    const refused = await gateway.request('/4', { method: 'POST', body: 'x' });
    expect([refused.status, refused.header('retry-after')]).toEqual([503, '1']);
    expect(refused.json()).toMatchObject({ code: 'overloaded' });
    await gateway.logged('request completed', { status: 503, reason: 'overloaded', attempts: 0 });
    for (let served = 0; served < 3; served++) {
      await arrived(served + 1);
      await heads[served]!.write(OK);
    }
    await Promise.all(waiting);
    const last = gateway.get('/5');
    await arrived(4);
    await heads[3]!.write(OK);
    expect((await last).status).toBe(200);
    expect(gateway.logsWith('upstream request failed')).toHaveLength(0);
    await untilAtRest(gateway);
  });

  it('leave nobody waiting longer than the timeout of the route', async () => {
    const { upstream, gateway, active } = await narrow({ max_connections: 1 }, { timeout: '400ms' });
    const answers = [gateway.get('/1'), gateway.get('/2')];
    await active(2);
    expect((await Promise.all(answers)).map((answer) => answer.status)).toEqual([504, 504]);
    await untilAtRest(gateway);
    expect(upstream.requests.length).toBeLessThanOrEqual(2);
  });

  it('pass on what waits when a connection breaks', async () => {
    const { gateway, heads, arrived, active } = await narrow({ max_connections: 1 });
    const answers = [gateway.get('/1'), gateway.get('/2')];
    await active(2);
    await arrived(1);
    heads[0]!.reset();
    await arrived(2);
    await heads[1]!.write(OK);
    const statuses = (await Promise.all(answers)).map((answer) => answer.status);
    expect(new Set(statuses)).toEqual(new Set([200, 502]));
    await untilAtRest(gateway);
  });

  it('give the request to another backend that has room', async () => {
    const slow = await rawUpstream(() => {});
    const echo = await echoUpstream();
    const gateway = await startTestGateway({
      upstreams: {
        two: {
          backends: [slow.backend, echo.backend],
          connection: { max_connections: 1, max_pending: 0 },
        },
      },
      routes: [{ path: '/', upstream: 'two' }],
    });
    const client = await gateway.connect();
    await client.write('GET /held HTTP/1.1\r\nHost: h\r\n\r\n');
    await expect.poll(() => slow.requests.length).toBe(1);
    const statuses: number[] = [];
    for (let sent = 0; sent < 6; sent++) statuses.push((await gateway.get('/a')).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200]);
    expect(slow.requests).toHaveLength(1);
  });

  it('empty the queue at once when the backend goes away', async () => {
    const upstream = await rawUpstream(() => {});
    const gateway = await startTestGateway({
      upstreams: { one: { backends: [upstream.backend], connection: { max_connections: 2 } } },
      routes: [{ path: '/', upstream: 'one' }],
    });
    const answers = Array.from({ length: 50 }, (_, index) => gateway.get(`/${index}`));
    await expect.poll(() => gateway.metric('gateway_active_requests')).toBe(50);
    await expect.poll(() => upstream.requests.length).toBe(2);
    await upstream.stop();
    const statuses = (await Promise.all(answers)).map((answer) => answer.status);
    expect(new Set(statuses)).toEqual(new Set([502]));
    await untilAtRest(gateway);
    expect(gateway.logsWith('request completed')).toHaveLength(50);
  });
});

describe('a backend that refuses the connection (case 36)', () => {
  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])(
    '%s goes to the next one, its body whole; nothing was sent before',
    async (method) => {
      const echo = await echoUpstream();
      const dead = `http://127.0.0.1:${await freePort()}`;
      const gateway = await startTestGateway({
        routes: [{ path: '/', backends: [{ url: dead }, echo.backend] }],
      });
      const body = 'x'.repeat(100_000);
      for (let sent = 0; sent < 4; sent++) {
        const response = await gateway.request('/a', { method, body });
        expect(response.status).toBe(200);
        expect(response.json()).toMatchObject({ bodyBytes: body.length });
      }
      expect(echo.requests).toHaveLength(4);
      const moved = gateway.logsWith('request completed', { attempts: 2 });
      expect(moved.length).toBeGreaterThan(0);
      expect(gateway.logsWith('upstream request failed', { backend: dead })).toHaveLength(moved.length);
      await untilAtRest(gateway);
    },
  );

  it('each is tried once and no more, then 502', async () => {
    const urls = [await freePort(), await freePort(), await freePort()].map(
      (port) => `http://127.0.0.1:${port}`,
    );
    const gateway = await startTestGateway({
      routes: [{ path: '/', backends: urls.map((url) => ({ url })) }],
    });
    const response = await gateway.get('/a');
    expect(response.status).toBe(502);
    await gateway.logged('request completed', { attempts: 3 });
    const tried = gateway.logsWith('upstream request failed').map((line) => line['backend']);
    expect(tried).toHaveLength(3);
    expect(new Set(tried)).toEqual(new Set(urls));
    expect(response.text).not.toContain('127.0.0.1');
  });
});

it.each(['GET', 'PUT', 'DELETE', 'POST', 'PATCH'])(
  'without a retry block a failing answer is passed on, and asked for once (case 36): %s',
  async (method) => {
    const echoes = [await echoUpstream(), await echoUpstream()];
    for (const echo of echoes) echo.status = 503;
    const backends = echoes.map((echo) => echo.backend);
    const gateway = await startTestGateway({ routes: [{ path: '/', backends }] });
    expect((await gateway.request('/a', { method })).status).toBe(503);
    expect(echoes.flatMap((echo) => echo.requests)).toHaveLength(1);
    await gateway.logged('request completed', { status: 503, reason: null, attempts: 1 });
  },
);
