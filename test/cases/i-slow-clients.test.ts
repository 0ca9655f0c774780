import { describe, expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import { echoUpstream, type RawClient, startTestGateway } from '../support/index.js';

async function setUp(server: object = {}) {
  const upstream = await echoUpstream();
  const gateway = await startTestGateway({
    server: { header_timeout: '400ms', body_timeout: '400ms', ...server },
    routes: [
      { path: '/a', backends: [upstream.backend] },
      { path: '/get', methods: ['GET'], backends: [upstream.backend] },
      { path: '/once', rate_limit: { requests: 1, per: '1h' }, backends: [upstream.backend] },
    ],
  });
  return { upstream, gateway };
}

/** Sends a byte again and again until the connection is gone. */
async function drip(client: RawClient, bytes: string): Promise<void> {
  while (!client.ended && (await client.write(bytes)))
    await new Promise((resolve) => setTimeout(resolve, 40));
}

describe('case 60: slowloris', () => {
  it('a head that never ends is ended by header_timeout, however lively it drips; others are served meanwhile', async () => {
    const { gateway } = await setUp();
    const clients = await Promise.all(Array.from({ length: 50 }, () => gateway.connect()));
    const dripping = clients.map(async (client) => {
      await client.write('GET /a HTTP/1.1\r\nHost: h\r\nX-A: ');
      await drip(client, 'b');
      await client.untilEnded();
    });
    expect((await gateway.get('/a')).status).toBe(200);
    await Promise.all(dripping);
    expect(clients.map((client) => client.responses[0]!.status)).toEqual(Array(50).fill(408));
    await expect.poll(() => gateway.logsWith('request completed', { status: 408 }).length).toBe(50);
    await untilAtRest(gateway);
    expect(await gateway.metric('gateway_requests_total', { path: 'unmatched', status: '408' })).toBe(50);
  });

  it('a second head on a connection that served one has no more time than the first', async () => {
    const { gateway } = await setUp();
    const client = await gateway.connect();
    await client.write('GET /a HTTP/1.1\r\nHost: h\r\n\r\n');
    await client.response();
    await client.write('GET /a HT');
    await client.untilEnded();
    expect(client.responses.map((response) => response.status)).toEqual([200, 408]);
  });

  it('a connection that says nothing is ended too', async () => {
    const { gateway } = await setUp();
    const client = await gateway.connect();
    await client.untilClosed();
    expect(client.responses.map((response) => response.status)).toEqual([408]);
    await untilAtRest(gateway);
  });

  it('a body that drips in time is served, one that stops is not', async () => {
    const { gateway } = await setUp();
    const [lively, silent] = [await gateway.connect(), await gateway.connect()];
    const head = 'POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 8\r\n\r\n';
    await Promise.all([lively.write(head), silent.write(`${head}1234`)]);
    for (let sent = 0; sent < 8; sent++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      await lively.write('x');
    }
    expect((await lively.response()).json()).toMatchObject({ bodyBytes: 8 });
    expect((await silent.response()).status).toBe(408);
    await silent.untilClosed();
    await untilAtRest(gateway);
  });
});

describe('case 60: what the gateway answers itself does not wait for the body', () => {
  it.each([
    ['no route', 'GET /unknown', 404],
    ['a wrong method', 'POST /get', 405],
    ['an ambiguous path', 'POST /a/../b', 400],
    ['a body that is too large', 'POST /a', 413],
  ])('%s', async (_, start, status) => {
    const { gateway, upstream } = await setUp({ body_timeout: '30s', max_body_size: '10kb' });
    const length = status === 413 ? 20_000 : 100;
    const { responses } = await gateway.raw(
      `${start} HTTP/1.1\r\nHost: h\r\nContent-Length: ${length}\r\n\r\n`,
    );
    expect(responses[0]!.status).toBe(status);
    expect(upstream.requests).toHaveLength(0);
    await gateway.logged('request completed', { status });
    await untilAtRest(gateway);
  });

  it('a limit', async () => {
    const { gateway } = await setUp({ body_timeout: '30s' });
    await gateway.get('/once');
    const { responses } = await gateway.raw('POST /once HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n');
    expect(responses[0]!.status).toBe(429);
  });

  it('and the body that never comes does not hold the connection longer than body_timeout', async () => {
    const { gateway } = await setUp();
    const client = await gateway.connect();
    await client.write('POST /unknown HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nhalf');
    expect((await client.response()).status).toBe(404);
    await client.untilClosed();
    expect(client.responses).toHaveLength(1);
  });

  it('and the body that does come is no request', async () => {
    const { gateway } = await setUp();
    const smuggled = 'GET /a HTTP/1.1\r\nHost: h\r\n\r\n';
    const client = await gateway.connect();
    await client.write(
      `POST /unknown HTTP/1.1\r\nHost: h\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
    );
    await client.write('GET /get HTTP/1.1\r\nHost: h\r\n\r\n');
    await client.response(1);
    expect(client.responses.map((response) => response.status)).toEqual([404, 200]);
    expect(gateway.logsWith('request completed')).toHaveLength(2);
  });
});

describe('case 60: pipelined garbage', () => {
  it('behind a request takes nothing from its answer, and has a line of its own', async () => {
    const { gateway } = await setUp();
    const { responses, closed } = await gateway.raw(
      'GET /a HTTP/1.1\r\nHost: h\r\n\r\n\x16\x03\x01garbage\r\n\r\n',
      { until: 'close' },
    );
    expect(responses.map((response) => response.status)).toEqual([200, 400]);
    expect(closed).toBe(true);
    await gateway.logged('request completed', { status: 200, path: '/a' });
    await gateway.logged('request completed', { status: 400, reason: 'bad_request' });
    expect(gateway.logsWith('request completed')).toHaveLength(2);
    await untilAtRest(gateway);
  });

  it.each([
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', /400/],
    ['an unknown method', 'BREW /a HTTP/1.1\r\nHost: h\r\n\r\n', /501/],
    ['a known method in small letters', 'get /a HTTP/1.1\r\nHost: h\r\n\r\n', /501/],
    ['what cannot be a method', 'G@T /a HTTP/1.1\r\nHost: h\r\n\r\n', /400/],
    ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /400|501|505/],
    ['no version', 'GET /a\r\n\r\n', /400/],
    ['a bare line feed', '\n\n\nGET\n\n', /400/],
    ['a null byte', '\0\0\0\0\r\n\r\n', /400/],
  ])('alone (%s): refused, one line, the connection ends', async (_, bytes, status) => {
    const { gateway } = await setUp();
    const { closed, text } = await gateway.raw(bytes, { until: 'close' });
    expect(closed).toBe(true);
    expect(text.slice(0, 12)).toMatch(/^HTTP\/1\.1 \d{3}$/);
    expect(text.slice(9, 12)).toMatch(status);
    await gateway.logged('request completed');
    await untilAtRest(gateway);
    expect(gateway.logsWith('request completed')).toHaveLength(1);
    expect((await gateway.get('/a')).status).toBe(200);
  });
});
