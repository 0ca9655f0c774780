import { describe, expect, it } from 'vitest';

import { echoedHeader, echoUpstream, rawUpstream, startTestGateway, waitFor } from '../support/index.js';

const FAST = { interval: '100ms', timeout: '90ms', healthy_threshold: 1, unhealthy_threshold: 1 };
const limit = (requests: number): object => ({ requests, per: '24h' });

describe('state kept over a reload', () => {
  it('health, position and sockets of backends that stay, also where the upstream changed; new ones start healthy', async () => {
    const [one, two, sick] = [await echoUpstream(), await echoUpstream(), await echoUpstream()];
    sick.healthStatus = 500;
    const document = (backends: object[], critical = false): object => ({
      health_check: FAST,
      upstreams: { u: { backends, critical } },
      routes: [{ id: 'u', path: '/', upstream: 'u' }],
    });
    const all = [one.backend, two.backend, sick.backend];
    const gateway = await startTestGateway(document(all));
    await gateway.logged('backend became unhealthy', { backend: sick.url });
    // The turn is kept: one and two alternate over every reload, and no reload opens a socket.
    const seen: number[] = [];
    for (let round = 0; round < 6; round++) {
      await gateway.get('/');
      seen.push(one.requests.length - two.requests.length);
      expect(await gateway.reload(document(all, round % 2 === 0))).toBe(true);
    }
    expect(new Set(seen.filter((_, at) => at % 2 === 1))).toEqual(new Set([0]));
    expect([one.requests.length, two.requests.length, sick.requests.length]).toEqual([3, 3, 0]);
    const connections = [one, two].map(({ requests }) => new Set(requests.map(({ connId }) => connId)).size);
    expect(connections).toEqual([1, 1]);
    expect(gateway.logsWith('backend became unhealthy')).toHaveLength(1);
    expect(await gateway.metric('gateway_backend_healthy', { backend: sick.url })).toBe(0);
    const fresh = await echoUpstream();
    await gateway.reload(document([...all, fresh.backend]));
    expect(await gateway.metric('gateway_backend_healthy', { backend: fresh.url })).toBe(1);
  });

  it('buckets of limits with the same numbers; other numbers begin anew; a refused document changes none', async () => {
    const { backend } = await echoUpstream();
    const document = (own: number, path = '/a', timeout = '5s'): object => ({
      rate_limit_global: { ...limit(100), by: 'ip' },
      routes: [{ id: 'a', path, timeout, backends: [backend], rate_limit: limit(own) }],
    });
    const gateway = await startTestGateway(document(3));
    const status = async (path = '/a'): Promise<number> => (await gateway.get(path)).status;
    expect([await status(), await status()]).toEqual([200, 200]);
    await gateway.reload(document(3, '/a', '6s'));
    expect(await gateway.reload({ routes: [] })).toBe(false);
    expect(await gateway.reload({ ...document(9), metrics: { buckets: [1] } })).toBe(false);
    expect([await status(), await status()]).toEqual([200, 429]);
    await gateway.reload(document(3, '/moved'));
    expect(await status('/moved')).toBe(429);
    await gateway.reload(document(4));
    expect(await status()).toBe(200);
  });

  it('counts of paths, upstreams and backends that stay; those of removed ones go', async () => {
    const { backend, url } = await echoUpstream();
    const route = (id: string, timeout = '5s'): object => ({
      id,
      path: `/${id}`,
      timeout,
      backends: [backend],
    });
    const gateway = await startTestGateway({ routes: [route('a'), route('b')] });
    await gateway.get('/a');
    await gateway.get('/b');
    await gateway.reload({ routes: [route('a', '6s')] });
    await gateway.get('/a');
    const text = (await gateway.get('/metrics')).text;
    expect(await gateway.metric('gateway_requests_total', { path: '/a' })).toBe(2);
    expect(text).toContain(`upstream="a",backend="${url}"`);
    expect(text).not.toMatch(/(path="\/b"|upstream="b")/);
  });
});

describe('an exchange in flight', () => {
  it('ends on the target it began with, while the next one goes to the new target (case 45)', async () => {
    const [before, after] = [await echoUpstream(), await echoUpstream()];
    before.delayMs = 400;
    const document = (url: string, prefix: boolean): object => ({
      routes: [{ id: 'a', path: '/a', strip_prefix: prefix, backends: [{ url }] }],
    });
    const gateway = await startTestGateway(document(before.url, false));
    const slow = gateway.get('/a/x', { agent: false });
    await waitFor(() => before.started, 'the slow request is there');
    expect(await gateway.reload(document(after.url, true))).toBe(true);
    expect((await gateway.get('/a/y')).json()['url']).toBe('/y');
    const answer = await slow;
    expect([answer.status, answer.json()['url']]).toEqual([200, '/a/x']);
    expect([before.requests.length, after.requests.length]).toEqual([1, 1]);
    await waitFor(() => before.openConnections === 0, 'the old target is left alone');
  });

  it('ends although its route and upstream are gone, upload and all, and is not counted on', async () => {
    const upstream = await echoUpstream();
    const other = await echoUpstream();
    const routes = (id: string, url: string): object => ({
      routes: [{ id, path: `/${id}`, backends: [{ url }] }],
    });
    const gateway = await startTestGateway(routes('a', upstream.url));
    const client = await gateway.connect();
    await client.write('POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\nabc');
    await waitFor(() => upstream.started, 'the head is through');
    expect(await gateway.reload(routes('b', other.url))).toBe(true);
    await client.write('def');
    const response = await client.response();
    expect(response.status).toBe(200);
    expect((JSON.parse(response.text) as { bodyBytes: number }).bodyBytes).toBe(6);
    expect((await gateway.get('/a')).status).toBe(404);
    expect((await gateway.get('/metrics')).text).not.toMatch(/path="\/a"|upstream="a"/);
    await waitFor(() => upstream.openConnections === 0, 'its socket is closed');
  });

  it('goes on as a stream of events while its route is changed and removed (case 45)', async () => {
    const upstream = await rawUpstream(async (connection) => {
      await connection.request();
      await connection.write(
        'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n',
      );
    });
    const { backend } = await echoUpstream();
    const a = { id: 'a', path: '/a', backends: [upstream.backend] };
    const b = { id: 'b', path: '/b', backends: [backend] };
    const gateway = await startTestGateway({ routes: [a] });
    const client = await gateway.connect();
    await client.write('GET /a HTTP/1.1\r\nHost: h\r\n\r\n');
    await client.until(() => client.responses.length > 0, 'the head');
    const documents = [{ routes: [a, b] }, { routes: [{ ...a, backends: [backend] }, b] }, { routes: [b] }];
    for (const [at, document] of documents.entries()) {
      expect(await gateway.reload(document)).toBe(true);
      await upstream.connections[0]!.write(`7\r\ndata: ${at}\r\n`);
      await client.until(() => client.text.includes(`data: ${at}`), `event ${at}`);
    }
    await upstream.connections[0]!.write('0\r\n\r\n');
    expect((await client.response()).text).toBe('data: 0data: 1data: 2');
  });
});

describe('a route that says the same as before', () => {
  it('obeys what changed in the rest of the document', async () => {
    const upstream = await echoUpstream();
    const document = (rest: object, host = 'backend'): object => ({
      ...rest,
      upstreams: { u: { backends: [upstream.backend], host_header: host } },
      routes: [{ id: 'a', path: '/a', upstream: 'u' }],
    });
    const gateway = await startTestGateway(document({}));
    const post = async (): Promise<number> => (await gateway.request('/a', { body: '0123456789' })).status;
    expect(await post()).toBe(200);

    await gateway.reload(document({ server: { max_body_size: '4b' } }));
    expect(await post()).toBe(413);

    await gateway.reload(document({ request_id: { header: 'x-trace' } }));
    expect((await gateway.get('/a', { headers: { 'x-trace': 'mine' } })).header('x-request-id')).toBe('mine');
    expect(echoedHeader(upstream.last!, 'x-trace')).toEqual([]);

    await gateway.reload(document({}, 'preserve'));
    await gateway.get('/a', { headers: { host: 'asked.example' } });
    expect(echoedHeader(upstream.last!, 'host')).toEqual(['asked.example']);

    await gateway.reload(document({ rate_limit_global: limit(1) }));
    expect([(await gateway.get('/a')).status, (await gateway.get('/a')).status]).toEqual([200, 429]);

    await gateway.reload(document({ server: { trusted_proxies: ['127.0.0.1'] } }));
    await gateway.get('/a', { headers: { 'x-forwarded-for': '192.0.2.1' } });
    expect(echoedHeader(upstream.last!, 'x-real-ip')).toEqual(['192.0.2.1']);

    await gateway.reload(document({ server: { body_timeout: '200ms' } }));
    const client = await gateway.connect();
    await client.write('POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\nabc');
    expect((await client.response()).status).toBe(408);
  });
});
