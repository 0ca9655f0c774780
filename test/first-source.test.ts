import { parse as parseYaml } from 'yaml';

import { describe, expect, it } from 'vitest';

import { type RunningGateway, startGateway } from '../src/application.js';
import { parseConfig } from '../src/config/loader.js';
import {
  closeAtEnd,
  type EchoUpstream,
  echoUpstream,
  get,
  LogCapture,
  open,
  startTestGateway,
  type TestGateway,
} from './support/index.js';

/** The example of the source that this gateway comes from, as it stands there. */
const EXAMPLE = `port: 8080

health_check:
  path: /health
  interval: 5s
  timeout: 2s
  healthy_threshold: 2
  unhealthy_threshold: 3
  expected_status: 200

routes:
  - path: /api/users
    methods: [GET, POST]
    strip_prefix: true
    timeout: 10s
    backends:
      - url: http://localhost:8081
    rate_limit:
      requests: 100
      per: 1m

  - path: /api/orders
    methods: [GET]
    strip_prefix: true
    timeout: 5s
    backends:
      - url: http://localhost:8082
    rate_limit:
      requests: 50
      per: 1m
`;
const AS_JSON = JSON.stringify(parseYaml(EXAMPLE), null, 2);

describe('the example, unchanged', () => {
  async function started(
    text: string,
    format: 'yaml' | 'json',
  ): Promise<{ logs: LogCapture; gateway: RunningGateway }> {
    const logs = new LogCapture();
    const config = parseConfig(text, { file: `gateway.${format}`, format, env: {} });
    // The document's own ports may be taken on this machine; nothing else is changed.
    const gateway = await startGateway(config, { port: 0, adminPort: 0, logDestination: logs });
    closeAtEnd(() => gateway.kill());
    return { logs, gateway };
  }

  it('is the same document as YAML and as JSON', () => {
    const read = (text: string, format: 'yaml' | 'json') =>
      parseConfig(text, { file: 'gateway', format, env: {} });
    expect(read(AS_JSON, 'json')).toEqual(read(EXAMPLE, 'yaml'));
    expect(read(EXAMPLE, 'yaml')).toMatchObject({
      server: { port: 8080 },
      routes: [{ id: 'get-post-api-users' }, { id: 'get-api-orders' }],
    });
  });

  it.each([
    ['YAML', EXAMPLE, 'yaml' as const],
    ['JSON', AS_JSON, 'json' as const],
  ])('runs as %s, and says so', async (_, text, format) => {
    const { logs, gateway } = await started(text, format);
    expect((await get(`${gateway.url}/`)).text).toBe('Gateway is running...');
    const route = { backends: 1, rate_limit: true, timeout: true, level: 'INFO' };
    expect(logs.with('route registered')).toMatchObject([
      { ...route, id: 'get-post-api-users', path: '/api/users', methods: ['GET', 'POST'] },
      { ...route, id: 'get-api-orders', path: '/api/orders', methods: ['GET'] },
    ]);
    const probes = { level: 'INFO', backends: 2, path: '/health', interval: '5s', timeout: '2s' };
    expect(logs.with('health checker started')).toMatchObject([probes]);
    expect(logs.with('server listening')).toMatchObject([{ level: 'INFO', addr: `0.0.0.0:${gateway.port}` }]);
  });
});

interface Example {
  readonly users: EchoUpstream;
  readonly orders: EchoUpstream;
  readonly gateway: TestGateway;
}

/** The example before two ECHOs, with some of its values replaced. */
async function running(replacing: Readonly<Record<string, string>> = {}): Promise<Example> {
  const users = await echoUpstream();
  const orders = await echoUpstream();
  let text = EXAMPLE.replace('http://localhost:8081', users.url).replace('http://localhost:8082', orders.url);
  for (const [value, other] of Object.entries(replacing)) text = text.replace(value, other);
  return { users, orders, gateway: await startTestGateway(text) };
}

const FAST_PROBES = { 'interval: 5s': 'interval: 120ms', 'timeout: 2s': 'timeout: 110ms' };

describe('its documented answers', () => {
  it('GET / and GET /health', async () => {
    const { gateway } = await running();
    const root = await gateway.get('/');
    expect([root.status, root.text, root.header('content-type')]).toEqual([
      200,
      'Gateway is running...',
      'text/plain; charset=utf-8',
    ]);
    const health = await gateway.get('/health');
    expect([health.status, health.json()['status']]).toEqual([200, 'ok']);
  });

  it.each([
    ['/api/users/profile', '/profile'],
    ['/api/users/profile?x=1', '/profile?x=1'],
    ['/api/users/', '/'],
    ['/api/users', '/'],
  ])('%s arrives as %s', async (sent, received) => {
    const { gateway, users } = await running();
    expect((await gateway.get(sent)).json()).toMatchObject({ method: 'GET', url: received });
    expect(users.requests).toHaveLength(1);
  });

  it('only the methods of a route pass', async () => {
    const { gateway, users, orders } = await running();
    expect((await gateway.request('/api/users', { method: 'POST', body: 'x' })).status).toBe(200);
    const refused = await gateway.request('/api/orders', { method: 'POST', body: 'x' });
    expect([refused.status, refused.header('allow')]).toEqual([405, 'GET, HEAD']);
    expect([users.requests.length, orders.requests.length]).toEqual([1, 0]);
  });

  it('a request’s line holds what it must, in its order', async () => {
    const { gateway, orders } = await running();
    const answer = await gateway.get('/api/orders?x=1', {
      headers: { 'user-agent': 'curl/7.88.1' },
      agent: false,
    });
    const line = await gateway.logged('request completed');
    expect(line).toMatchObject({
      level: 'INFO',
      method: 'GET',
      path: '/api/orders?x=1',
      route: 'get-api-orders',
      remote_ip: '127.0.0.1',
      user_agent: 'curl/7.88.1',
      status: 200,
      bytes_written: answer.body.length,
      upstream: 'get-api-orders',
      backend: orders.url,
      attempts: 1,
      cache: null,
      reason: null,
      trace_id: null,
    });
    expect(line['remote_addr']).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(line['duration_ms']).toBeGreaterThan(0);
    expect(Object.keys(line).slice(0, 5)).toEqual(['time', 'level', 'msg', 'request_id', 'method']);
    expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });
});

describe('429: the limit of each route for each client', () => {
  it.each([
    ['/api/users', 100],
    ['/api/orders', 50],
  ])('%s: after %d in a minute', async (path, limit) => {
    const { gateway, users, orders } = await running();
    const started = performance.now();
    const answers = await Promise.all(Array.from({ length: limit + 30 }, () => gateway.get(`${path}/x`)));
    const comingBack = Math.ceil(((performance.now() - started) / 60_000) * limit);
    const passed = answers.filter(({ status }) => status === 200).length;
    expect(passed).toBeGreaterThanOrEqual(limit);
    expect(passed).toBeLessThanOrEqual(limit + comingBack);
    expect(users.requests.length + orders.requests.length).toBe(passed);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(limit + 30 - passed);
    const { error, retry_after: wait } = refused[0]!.json();
    expect([error, String(wait)]).toEqual(['rate limit exceeded', refused[0]!.header('retry-after')]);
    expect([1, Math.ceil(60 / limit)]).toContain(wait);
    expect(answers[0]!.header('ratelimit-policy')).toBe(`"default";q=${limit};w=60`);
    expect(await gateway.logged('rate limit exceeded')).toMatchObject({
      level: 'WARN',
      remote_ip: '127.0.0.1',
      method: 'GET',
      path: `${path}/x`,
    });
    const other = path === '/api/users' ? '/api/orders' : '/api/users';
    expect((await gateway.get(other)).status).toBe(200);
  });

  it('and each client has its own', async () => {
    const { gateway } = await running({ 'requests: 50': 'requests: 1' });
    const from = async (localAddress: string) =>
      (await gateway.get('/api/orders', { localAddress, agent: false })).status;
    expect([await from('127.0.0.1'), await from('127.0.0.1'), await from('127.0.0.2')]).toEqual([
      200, 429, 200,
    ]);
  });
});

describe('502, 503, 504: what is wrong behind the gateway', () => {
  it('502: the backend is off', async () => {
    const { gateway, users } = await running();
    await users.stop();
    const answer = await gateway.get('/api/users');
    expect([answer.status, answer.json()['error']]).toEqual([502, 'upstream unavailable']);
    expect(await gateway.logged('upstream request failed')).toMatchObject({
      level: 'ERROR',
      backend: users.url,
      method: 'GET',
      path: '/api/users',
      reason: 'upstream_unavailable',
      err: expect.stringContaining('ECONNREFUSED'),
    });
    expect((await gateway.get('/api/orders')).status).toBe(200);
  });

  it('503: all backends are unhealthy, until they recover', async () => {
    const { gateway, users } = await running(FAST_PROBES);
    users.healthStatus = 500;
    expect(await gateway.logged('backend became unhealthy')).toMatchObject({
      level: 'WARN',
      backend: users.url,
      err: 'unhealthy status: 500',
    });
    const answer = await gateway.get('/api/users');
    expect([answer.status, answer.json()['error']]).toEqual([503, 'no healthy backend']);
    expect(users.requests).toEqual([]);
    expect((await gateway.get('/health')).json()['status']).toBe('degraded');
    users.healthStatus = 200;
    expect(await gateway.logged('backend recovered')).toMatchObject({ level: 'INFO', backend: users.url });
    expect((await gateway.get('/api/users')).status).toBe(200);
    expect(gateway.logsWith('backend became unhealthy')).toHaveLength(1);
  });

  it('504: the backend is too slow', async () => {
    const { gateway, users } = await running({ 'timeout: 10s': 'timeout: 250ms' });
    users.delayMs = 5_000;
    const started = performance.now();
    const answer = await gateway.get('/api/users');
    expect(performance.now() - started).toBeLessThan(1_500);
    expect([answer.status, answer.json()['error']]).toEqual([504, 'upstream timeout']);
    expect(await gateway.logged('upstream request failed')).toMatchObject({
      level: 'ERROR',
      backend: users.url,
      method: 'GET',
      path: '/api/users',
      reason: 'upstream_timeout',
    });
    expect(await gateway.logged('request completed')).toMatchObject({
      status: 504,
      reason: 'upstream_timeout',
    });
  });

  it('a slow body is no timeout of the head', async () => {
    const users = await echoUpstream({
      respond: (_request, response) => {
        response.write('a');
        setTimeout(() => response.end('b'), 500);
      },
    });
    const text = EXAMPLE.replace('http://localhost:8081', users.url).replace(
      'timeout: 10s',
      'timeout: 200ms',
    );
    const gateway = await startTestGateway(text);
    const response = await open(`${gateway.url}/api/users`);
    const chunks = await response.toArray();
    expect(Buffer.concat(chunks as Buffer[]).toString()).toBe('ab');
  });
});
