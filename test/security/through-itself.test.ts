import { describe, expect, it } from 'vitest';

import { echoUpstream, request, startTestGateway, type TestGateway } from '../support/index.js';

/** Who may read the gateway's own endpoints: the address that the gateway itself connects from. */
const ALLOWED = '127.0.0.1/32';
const STRANGER = '127.0.0.2';
const OWN = ['/metrics', '/_gateway/metrics', '/_gateway/health', '/_gateway/upstreams'];
const SPOOFED = [
  {},
  { 'x-forwarded-for': '127.0.0.1' },
  { 'x-real-ip': '127.0.0.1' },
  { forwarded: 'for=127.0.0.1' },
  { connection: 'x-forwarded-for, x-real-ip, x-gateway-version' },
];

/** A gateway with a route to itself and one to its own admin port, both without a token or a guard. */
async function scene(server: object = {}): Promise<TestGateway> {
  const upstream = await echoUpstream();
  const admin = { allow_from: [ALLOWED] };
  const route = (id: string, url: string) => ({
    id,
    path: `/${id}`,
    strip_prefix: true,
    backends: [{ url }],
  });
  const gateway = await startTestGateway(
    { server, admin, routes: [route('self', upstream.url)] },
    { admin: true },
  );
  const routes = [route('self', gateway.url), route('admin', gateway.adminUrl)];
  expect(await gateway.reload({ server, admin, routes })).toBe(true);
  return gateway;
}

function asStranger(url: string, headers: Record<string, string>, method = 'GET') {
  const body = method === 'GET' ? {} : { body: '{}' };
  return request(url, { method, headers, ...body, localAddress: STRANGER, agent: false });
}

describe.each([
  ['nobody is trusted', {}],
  ['the gateway trusts itself', { trusted_proxies: ['127.0.0.1/32'] }],
])('a route to the gateway itself, %s', (_, server) => {
  it.each(OWN)('does not bring a stranger to %s', async (path) => {
    const gateway = await scene(server);
    for (const headers of SPOOFED) {
      // oxlint-disable-next-line no-await-in-loop -- one answer after the other tells which header opened it.
      const response = await asStranger(`${gateway.url}/self${path}`, headers);
      expect([response.status, response.json()['code']]).toEqual([404, 'route_not_found']);
    }
  });
});

it('tells a stranger behind the gateway nothing of endpoints by the methods that they take', async () => {
  const gateway = await scene();
  const stranger = await asStranger(`${gateway.url}/self/metrics`, {}, 'POST');
  expect([stranger.status, stranger.header('allow')]).toEqual([404, undefined]);
  expect((await gateway.request('/metrics', { method: 'POST' })).status).toBe(405);
});

describe('whom the gateway speaks for', () => {
  it('is let in if allowed, as directly', async () => {
    const gateway = await scene();
    for (const path of OWN) {
      // oxlint-disable-next-line no-await-in-loop
      const statuses = await Promise.all([gateway.get(path), gateway.get(`/self${path}`)]);
      expect(statuses.map(({ status }) => status)).toEqual([200, 200]);
    }
  });

  it('is not, behind a proxy that the gateway trusts', async () => {
    const gateway = await scene({ trusted_proxies: ['127.0.0.1/32'] });
    for (const told of ['203.0.113.9', '127.0.0.1, 203.0.113.9', '203.0.113.9, 127.0.0.1', 'garbage']) {
      // oxlint-disable-next-line no-await-in-loop
      const response = await gateway.get('/self/metrics', { headers: { 'x-forwarded-for': told } });
      expect([told, response.status]).toEqual([told, 404]);
    }
  });

  it('is no question where there is no gateway between: the socket decides', async () => {
    const gateway = await scene();
    const headers = { 'x-forwarded-for': '203.0.113.9', 'x-real-ip': '203.0.113.9' };
    expect((await gateway.get('/metrics', { headers })).status).toBe(200);
  });
});

describe('a route to an admin port without a token', () => {
  it.each([
    ['GET', '/api/config/status'],
    ['GET', '/api/upstreams'],
    ['POST', '/api/cache/clear'],
    ['PUT', '/api/upstreams/self/backends/x'],
  ])('is no way in: %s %s', async (method, path) => {
    const gateway = await scene();
    for (const headers of SPOOFED) {
      const given = { ...headers, 'content-type': 'application/json' };
      // oxlint-disable-next-line no-await-in-loop
      const response = await asStranger(`${gateway.url}/admin${path}`, given, method);
      expect([response.status, response.json()['code']]).toEqual([403, 'forbidden']);
    }
  });

  it('nor for those who may ask it directly', async () => {
    const gateway = await scene();
    expect((await request(`${gateway.adminUrl}/api/upstreams`)).status).toBe(200);
    expect((await gateway.get('/admin/api/upstreams')).status).toBe(403);
  });
});
