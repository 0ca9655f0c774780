import { describe, expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import {
  type EchoUpstream,
  echoUpstream,
  open,
  rawUpstream,
  request,
  startTestGateway,
  type TestGateway,
  waitFor,
} from '../support/index.js';
import { open as openWebSocket, wsUpstream } from '../websocket/support.js';

interface Shown {
  readonly name: string;
  readonly backends: readonly { readonly url: string; readonly state: string; readonly in_flight: number }[];
}

async function setState(gateway: TestGateway, backend: { url: string }, state: string): Promise<void> {
  const path = `/api/upstreams/u/backends/${encodeURIComponent(backend.url)}`;
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ state });
  expect((await request(gateway.adminUrl + path, { method: 'PUT', headers, body })).status).toBe(200);
}

async function shown(gateway: TestGateway): Promise<Shown['backends']> {
  return (await request(`${gateway.adminUrl}/api/upstreams`)).json<Shown[]>()[0]!.backends;
}

function start(backends: readonly { url: string }[], upstream: object = {}): Promise<TestGateway> {
  return startTestGateway(documentOf(backends, upstream), { admin: true });
}

function documentOf(backends: readonly { url: string }[], upstream: object = {}): object {
  return { upstreams: { u: { backends, ...upstream } }, routes: [{ id: 'r', path: '/', upstream: 'u' }] };
}

async function pair(
  upstream: object = {},
): Promise<{ gateway: TestGateway; a: EchoUpstream; b: EchoUpstream }> {
  const [a, b] = [await echoUpstream(), await echoUpstream()];
  return { gateway: await start([a.backend, b.backend], upstream), a, b };
}

describe('a backend that drains', () => {
  it('gets no new exchanges, and those that it has are finished', async () => {
    const stream = await rawUpstream(async (connection) => {
      await connection.request();
      await connection.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n');
      await waitFor(() => done, 'the test', { timeoutMs: 20_000 });
      await connection.write('data: 2\n\n');
      connection.end();
    });
    let done = false;
    const other = await echoUpstream();
    const gateway = await start([stream.backend, other.backend]);
    const events = await open(`${gateway.url}/events`, { agent: false });
    await setState(gateway, stream.backend, 'draining');
    expect(await shown(gateway)).toMatchObject([
      { url: stream.url, state: 'draining', in_flight: 1 },
      { url: other.url, state: 'active', in_flight: 0 },
    ]);
    for (let sent = 0; sent < 6; sent++) expect((await gateway.get('/a')).status).toBe(200);
    expect([stream.requests.length, other.requests.length]).toEqual([1, 6]);
    done = true;
    let text = '';
    for await (const chunk of events) text += String(chunk);
    expect(text).toBe('data: 1\n\ndata: 2\n\n');
    await waitFor(async () => (await shown(gateway))[0]!.in_flight === 0, 'it may go');
    await untilAtRest(gateway);
  });

  it('gets no new WebSockets, and keeps those that it has', async () => {
    const [a, b] = [await wsUpstream(), await wsUpstream()];
    const gateway = await start([a.backend, b.backend]);
    const old = await openWebSocket(gateway, '/');
    await setState(gateway, a.backend, 'draining');
    for (let opened = 0; opened < 3; opened++) await openWebSocket(gateway, '/');
    old.send('still here');
    expect(await old.message()).toBe('still here');
    expect([a.requests.length, b.requests.length]).toEqual([1, 3]);
  });

  it('is drained by every algorithm, and is back at once', async () => {
    for (const balancing of [
      'round_robin',
      'weighted_round_robin',
      'least_connections',
      'random',
      'ip_hash',
    ]) {
      const { gateway, a, b } = await pair({ balancing });
      await setState(gateway, a, 'draining');
      for (let sent = 0; sent < 6; sent++) await gateway.get('/');
      expect([balancing, a.requests.length, b.requests.length]).toEqual([balancing, 0, 6]);
      await setState(gateway, a, 'active');
      await setState(gateway, b, 'draining');
      expect((await gateway.get('/')).status).toBe(200);
      expect([balancing, a.requests.length, b.requests.length]).toEqual([balancing, 1, 6]);
    }
  });

  it('is not tried when another one refuses the connection', async () => {
    const { gateway, a, b } = await pair();
    await setState(gateway, a, 'draining');
    await b.stop();
    expect((await gateway.get('/')).json()).toMatchObject({ code: 'upstream_unavailable' });
    expect(a.requests).toHaveLength(0);
  });

  it('leaves 503 no_healthy_backend when there is no other, and serves again afterwards', async () => {
    const { gateway, a, b } = await pair({ max_in_flight: { limit: 1, queue: 9, queue_timeout: '20s' } });
    await setState(gateway, a, 'draining');
    await setState(gateway, b, 'draining');
    const refused = await gateway.get('/');
    expect([refused.status, refused.json()['code']]).toEqual([503, 'no_healthy_backend']);
    await setState(gateway, b, 'active');
    expect((await gateway.get('/')).status).toBe(200);
  });

  it('is still probed', async () => {
    const health_check = { interval: '50ms', timeout: '40ms', healthy_threshold: 1, unhealthy_threshold: 1 };
    const { gateway, a } = await pair({ health_check });
    await setState(gateway, a, 'draining');
    a.healthStatus = 500;
    await gateway.logged('backend became unhealthy', { backend: a.url });
    a.healthStatus = 200;
    await gateway.logged('backend recovered', { backend: a.url });
    expect(await shown(gateway)).toMatchObject([{ state: 'draining', healthy: true }, { state: 'active' }]);
    await gateway.get('/');
    expect(a.requests).toHaveLength(0);
  });

  it('drains on over reloads, also of its own upstream, until it is removed', async () => {
    const { gateway, a, b } = await pair();
    await setState(gateway, a, 'draining');
    for (const critical of [true, false, true]) {
      expect(await gateway.reload(documentOf([b.backend, a.backend], { critical }))).toBe(true);
      expect(await shown(gateway)).toMatchObject([{ state: 'active' }, { url: a.url, state: 'draining' }]);
      await gateway.get('/');
    }
    expect(a.requests).toHaveLength(0);
    await gateway.reload(documentOf([b.backend]));
    await gateway.reload(documentOf([a.backend, b.backend]));
    expect(await shown(gateway)).toMatchObject([{ state: 'active' }, { state: 'active' }]);
  });

  it('gives its places to those who wait when it is back', async () => {
    const { gateway, a, b } = await pair({ max_in_flight: { limit: 1, queue: 9, queue_timeout: '20s' } });
    await setState(gateway, a, 'draining');
    b.delayMs = 3_000;
    const slow = gateway.get('/slow');
    await waitFor(() => b.started === 1, 'the only active one is full');
    const waiting = gateway.get('/waits');
    await waitFor(async () => (await gateway.metric('gateway_active_requests')) === 2, 'one waits');
    await setState(gateway, a, 'active');
    expect((await waiting).status).toBe(200);
    expect([a.requests.length, b.requests.length]).toEqual([1, 1]);
    expect((await slow).status).toBe(200);
    await untilAtRest(gateway);
  });
});
