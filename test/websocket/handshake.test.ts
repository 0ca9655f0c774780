import { describe, expect, it } from 'vitest';

import { freePort, echoUpstream, rawUpstream, startTestGateway, waitFor } from '../support/index.js';
import { handshake, maskedFrame, open, refused, SWITCHED, textFrame, wsUpstream } from './support.js';

const route = (backend: object, more: object = {}): object => ({
  routes: [{ id: 'ws', path: '/ws', backends: [backend], ...more }],
});

describe('a handshake that passes', () => {
  it('reaches the upstream with its target in original bytes, without the prefix', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway({
      routes: [{ path: '/rtp', strip_prefix: true, backends: [upstream.backend] }],
    });
    await open(gateway, '/rtp/a%2Fb.flv?x=1');
    await open(gateway, '/rtp');
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/a%2Fb.flv?x=1', '/']);
  });

  it('keeps a target that begins with two slashes a path', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway({ routes: [{ path: '/', backends: [upstream.backend] }] });
    await open(gateway, '//evil.example/x?y');
    expect(upstream.last!.url).toBe('//evil.example/x?y');
  });

  it('keeps the base path of the backend and the rewrite of the route', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway({
      routes: [
        {
          path: '/rooms/{id}',
          rewrite: { path: '/v1/{id}' },
          backends: [{ url: `${upstream.backend.url}/base` }],
        },
      ],
    });
    await open(gateway, '/rooms/7?a=b');
    expect(upstream.last!.url).toBe('/base/v1/7?a=b');
  });

  it('carries the forwarded headers, which the client can neither forge nor remove', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway(route(upstream.backend));
    const client = await gateway.connect();
    await client.write(
      handshake(
        '/ws',
        'X-Real-IP: 6.6.6.6',
        'X-Forwarded-For: 6.6.6.6',
        'Connection: X-Forwarded-For, X-Real-IP, X-Request-Id, X-Secret',
        'X-Secret: 1',
        'X-Twice: a',
        'x-twice: b',
        'Cookie: a=1',
        'Cookie: b=2',
        'X-Latin: \xe9',
      ),
    );
    await client.until(() => client.text.includes('\r\n\r\n'), 'an answer');
    const { headers } = upstream.last!;
    expect(headers).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-real-ip': '127.0.0.1',
      'x-forwarded-host': 'gw.example',
      'x-forwarded-proto': 'http',
      'x-forwarded-port': String(gateway.port),
      'x-request-id': expect.stringMatching(/^[0-9a-z]{26}$/),
      'x-gateway-version': expect.stringMatching(/^nexus-gateway\//),
      host: `127.0.0.1:${upstream.port}`,
      cookie: 'a=1; b=2',
      'x-twice': 'a, b',
      'x-latin': '\xe9',
    });
    expect(headers).not.toHaveProperty('x-secret');
    expect(upstream.last!.rawHeaders.filter((text) => text.toLowerCase() === 'connection')).toHaveLength(1);
  });

  it('gives the client the upstream’s head and the gateway’s own headers', async () => {
    const upstream = await rawUpstream(async (connection) => {
      await connection.head();
      await connection.write(
        SWITCHED.replace(
          '\r\n\r\n',
          '\r\nX-Latin: \xe9\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nX-Request-Id: mine\r\nContent-Length: 0\r\nKeep-Alive: timeout=5\r\n\r\n',
        ),
      );
    });
    const gateway = await startTestGateway(
      route(upstream.backend, { rate_limit: { requests: 5, per: '1m' } }),
    );
    const client = await gateway.connect();
    await client.write(handshake('/ws', 'X-Request-Id: req-1'));
    await client.until(() => client.text.includes('\r\n\r\n'), 'an answer');
    expect(client.text).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
    expect(client.text).toContain('\r\nX-Latin: \xe9\r\n');
    expect(client.text.match(/Set-Cookie: \w=\d/gi)).toHaveLength(2);
    expect(client.text.match(/x-request-id: .*/gi)).toEqual(['X-Request-Id: req-1']);
    expect(client.text).toContain('\r\nX-Gateway-Proxy: nexus-gateway\r\n');
    expect(client.text).toContain('\r\nRateLimit: "default";r=4;t=');
    expect(client.text.match(/connection: .*/gi)).toEqual(['Connection: Upgrade']);
    expect(client.text).not.toMatch(/content-length|keep-alive/i);
  });

  it('agrees on a subprotocol', async () => {
    const upstream = await wsUpstream({ handleProtocols: (offered) => [...offered][1] ?? false });
    const gateway = await startTestGateway(route(upstream.backend));
    const peer = await open(gateway, '/ws', { protocols: ['chat', 'superchat'] });
    expect(upstream.last!.headers['sec-websocket-protocol']).toBe('chat,superchat');
    expect(peer.socket.protocol).toBe('superchat');
  });

  it('loses none of the first bytes, whoever sends first', async () => {
    const upstream = await rawUpstream(async (connection) => {
      await connection.until(() => connection.text.includes('\r\n\r\n'), 'a head');
      await connection.write(Buffer.concat([Buffer.from(SWITCHED), textFrame('first')]));
    });
    const gateway = await startTestGateway(route(upstream.backend));
    const client = await gateway.connect();
    await client.write(Buffer.concat([Buffer.from(handshake('/ws')), maskedFrame('early')]));
    await client.write(maskedFrame('later'));
    await client.until(() => client.text.includes('first'), 'the first frame');
    const connection = upstream.connections[0]!;
    await connection.until(() => connection.text.includes('later'), 'both frames');
    expect(
      connection.text.endsWith(
        `${maskedFrame('early').toString('latin1')}${maskedFrame('later').toString('latin1')}`,
      ),
    ).toBe(true);
    expect(client.received.subarray(client.received.indexOf('\r\n\r\n') + 4)).toEqual(textFrame('first'));
  });

  it('takes the next backend when one refuses the connection', async () => {
    const upstream = await wsUpstream();
    const dead = { url: `http://127.0.0.1:${await freePort()}` };
    const gateway = await startTestGateway({ routes: [{ path: '/ws', backends: [dead, upstream.backend] }] });
    for (let round = 0; round < 4; round++) {
      const peer = await open(gateway);
      peer.send('hi');
      expect(await peer.message()).toBe('hi');
    }
    expect(
      gateway.logsWith('upstream request failed', { reason: 'upstream_unavailable' }).length,
    ).toBeGreaterThan(0);
  });

  it('takes the next backend when a connection does not stand in time', async () => {
    const upstream = await wsUpstream();
    // Accepts TCP and never says a word of TLS.
    const silent = await rawUpstream(() => {});
    const gateway = await startTestGateway({
      routes: [
        {
          path: '/ws',
          backends: [{ url: `https://127.0.0.1:${silent.port}` }, upstream.backend],
          connection: { connect_timeout: '100ms' },
        },
      ],
    });
    for (let round = 0; round < 2; round++) await open(gateway);
    expect(upstream.requests).toHaveLength(2);
    await gateway.logged('upstream request failed', { reason: 'upstream_timeout', attempt: 1 });
    await silent.connections[0]!.untilClosed();
  });

  it('names the backend, not the client’s Host, in the TLS handshake', async () => {
    const upstream = await rawUpstream(async (connection) => {
      await connection.until(() => connection.bytesReceived > 200, 'a ClientHello');
      connection.reset();
    });
    const gateway = await startTestGateway(
      route({ url: `https://localhost:${upstream.port}` }, { host_header: 'preserve' }),
    );
    expect((await refused(gateway, '/ws', { headers: { host: 'gw.example' } })).status).toBe(502);
    expect(upstream.connections[0]!.text).toContain('localhost');
    expect(upstream.connections[0]!.text).not.toContain('gw.example');
  });

  it('passes over interim answers', async () => {
    const upstream = await rawUpstream(async (connection) => {
      await connection.head();
      await connection.write(`HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${SWITCHED}`);
    });
    const gateway = await startTestGateway(route(upstream.backend));
    const { text } = await gateway.raw(handshake('/ws'), { until: { text: '\r\n\r\n' } });
    expect(text).toMatch(/^HTTP\/1\.1 101 /);
    expect(text).not.toContain('/x');
  });

  it('reaches a backend over IPv6', async () => {
    const upstream = await rawUpstream(
      async (connection) => {
        await connection.head();
        await connection.write(SWITCHED);
      },
      { host: '::1' },
    );
    const gateway = await startTestGateway(route(upstream.backend));
    const { text } = await gateway.raw(handshake('/ws'), { until: { text: '\r\n\r\n' } });
    expect(text).toMatch(/^HTTP\/1\.1 101 /);
    expect(upstream.connections[0]!.text).toContain(`Host: [::1]:${upstream.port}\r\n`);
  });
});

describe('a handshake that does not pass', () => {
  it('is refused with a problem document before the upstream hears of it', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway(
      route(upstream.backend, { rate_limit: { requests: 2, per: '1m' } }),
    );
    await open(gateway);
    await open(gateway);
    const third = await refused(gateway);
    expect(third.status).toBe(429);
    expect(third.headers).toMatchObject({
      'content-type': 'application/problem+json',
      connection: 'close',
      'retry-after': expect.stringMatching(/^\d+$/),
    });
    expect(JSON.parse(third.body)).toMatchObject({ code: 'rate_limited', status: 429 });
    expect(upstream.requests).toHaveLength(2);
    const line = await gateway.logged('request completed', { status: 429 });
    expect(line).toMatchObject({ reason: 'rate_limited', backend: null, attempts: 0 });
  });

  it('is answered 404 where no route is, 405 where GET is not meant, 400 where the path is ambiguous', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway(route(upstream.backend, { methods: ['POST'] }));
    expect((await refused(gateway, '/nowhere')).status).toBe(404);
    const wrong = await refused(gateway, '/ws');
    expect([wrong.status, wrong.headers.allow]).toEqual([405, 'POST']);
    const { responses } = await gateway.raw(handshake('/ws/%2e%2e/x'));
    expect(responses[0]!.status).toBe(400);
    expect(upstream.requests).toHaveLength(0);
  });

  it('gets the gateway’s own endpoints as an ordinary request', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway(route(upstream.backend));
    expect((await refused(gateway, '/health/live')).status).toBe(200);
  });

  it('is forbidden on a route that takes none', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway(route(upstream.backend, { websocket: { enabled: false } }));
    const answer = await refused(gateway);
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([403, 'forbidden']);
    expect(upstream.requests).toHaveLength(0);
  });

  it('is overloaded beyond max_connections, until one has ended', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway(route(upstream.backend, { websocket: { max_connections: 2 } }));
    const first = await open(gateway);
    await open(gateway);
    const third = await refused(gateway);
    expect([third.status, third.headers['retry-after']]).toEqual([503, '1']);
    expect(JSON.parse(third.body).code).toBe('overloaded');
    first.socket.close();
    await gateway.logged('request completed', { status: 101 });
    await open(gateway);
    expect(upstream.requests).toHaveLength(3);
  });

  it('gets the upstream’s own refusal as an ordinary answer', async () => {
    const upstream = await wsUpstream({ verifyClient: () => false });
    const gateway = await startTestGateway(route(upstream.backend));
    const answer = await refused(gateway);
    expect(answer.status).toBe(401);
    expect(answer.headers['x-gateway-proxy']).toBe('nexus-gateway');
    const line = await gateway.logged('request completed');
    expect(line).toMatchObject({ status: 401, reason: null, attempts: 1 });
    expect(await gateway.metric('gateway_requests_total', { path: '/ws', status: '401' })).toBe(1);
    expect(await gateway.metric('gateway_backend_in_flight')).toBe(0);
  });

  it('passes bad handshakes on: what is right is the upstream’s to say', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway(route(upstream.backend));
    const noKey = handshake('/ws').replace(/Sec-WebSocket-Key: .*\r\n/, '');
    const oldVersion = handshake('/ws').replace('Version: 13', 'Version: 7');
    expect((await gateway.raw(noKey)).responses[0]!.status).toBe(400);
    expect((await gateway.raw(oldVersion)).responses[0]!.status).toBe(400);
    expect(upstream.requests).toHaveLength(2);
  });

  it.each(['Content-Length: 600000', 'Transfer-Encoding: chunked'])(
    'gets a large answer whole, with back pressure (%s)',
    async (framing) => {
      const body = Buffer.alloc(600_000, 'x');
      const chunked = framing.startsWith('T')
        ? Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])
        : body;
      const upstream = await rawUpstream([
        Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${framing}\r\n\r\n`), chunked]),
      ]);
      const gateway = await startTestGateway(route(upstream.backend));
      const client = await gateway.connect();
      client.pause();
      await client.write(handshake('/ws'));
      await upstream.connections[0]?.head();
      client.resume();
      const response = await client.response();
      expect([response.status, response.body.length]).toEqual([200, 600_000]);
      await client.untilEnded();
    },
  );

  it('gets a cut answer cut', async () => {
    const upstream = await rawUpstream(async (connection) => {
      await connection.head();
      await connection.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 100\r\n\r\nhalf');
      connection.reset();
    });
    const gateway = await startTestGateway(route(upstream.backend));
    const { responses, text } = await gateway.raw(handshake('/ws'), { until: 'close' });
    expect(text).toMatch(/^HTTP\/1\.1 403 /);
    expect(responses[0]?.complete ?? false).toBe(false);
    expect(await gateway.logged('request completed')).toMatchObject({
      status: 403,
      reason: 'upstream_aborted',
    });
  });

  it('is timed out when the upstream says nothing', async () => {
    const upstream = await rawUpstream(async (connection) => void (await connection.head()));
    const gateway = await startTestGateway(
      route(upstream.backend, { websocket: { handshake_timeout: '200ms' } }),
    );
    const answer = await refused(gateway);
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([504, 'upstream_timeout']);
    await upstream.connections[0]!.untilClosed();
    await gateway.logged('upstream request failed', { reason: 'upstream_timeout' });
    expect(await gateway.metric('gateway_backend_in_flight')).toBe(0);
  });

  it.each([
    ['the connection is reset', (connection: { reset(): void }) => connection.reset()],
    [
      'the answer is no HTTP',
      (connection: { write(text: string): unknown }) => void connection.write('hello?\r\n\r\n'),
    ],
    ['the connection just ends', (connection: { end(): void }) => connection.end()],
  ])('is unavailable when %s', async (_what, act) => {
    const upstream = await rawUpstream(async (connection) => {
      await connection.head();
      act(connection);
    });
    const gateway = await startTestGateway({
      routes: [{ path: '/ws', backends: [upstream.backend, { url: `http://localhost:${upstream.port}` }] }],
    });
    const answer = await refused(gateway);
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([502, 'upstream_unavailable']);
    // Something was sent: no second attempt.
    expect(upstream.connections).toHaveLength(1);
  });

  it('is unavailable when every backend refuses', async () => {
    const gateway = await startTestGateway({
      routes: [
        {
          path: '/ws',
          backends: [
            { url: `http://127.0.0.1:${await freePort()}` },
            { url: `http://127.0.0.1:${await freePort()}` },
          ],
        },
      ],
    });
    const answer = await refused(gateway);
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([502, 'upstream_unavailable']);
    expect(await gateway.logged('request completed')).toMatchObject({ attempts: 2 });
  });

  it.each(['end', 'reset', 'destroy'] as const)(
    'ends the upstream’s attempt when the client leaves (%s)',
    async (leave) => {
      const upstream = await rawUpstream(async (connection) => void (await connection.head()));
      const gateway = await startTestGateway(route(upstream.backend));
      const client = await gateway.connect();
      await client.write(handshake('/ws'));
      const connection = await waitFor(() => upstream.connections[0], 'a connection');
      await connection.head();
      client[leave]();
      await connection.untilClosed();
      expect(await gateway.logged('request completed')).toMatchObject({
        status: 499,
        reason: 'client_closed',
      });
      expect(await gateway.metric('gateway_backend_in_flight')).toBe(0);
      expect(gateway.logsWith('upstream request failed')).toEqual([]);
    },
  );
});

describe('an upgrade to anything else', () => {
  it.each([
    ['h2c', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__'],
    ['an unknown protocol', 'Connection: Upgrade\r\nUpgrade: foo/1'],
    ['a list', 'Connection: Upgrade\r\nUpgrade: websocket, h2c'],
  ])('is an ordinary request: %s', async (_what, lines) => {
    const upstream = await echoUpstream();
    const gateway = await startTestGateway(route(upstream.backend));
    const head = `GET /ws HTTP/1.1\r\nHost: gw\r\n${lines}\r\n\r\n`;
    const client = await gateway.connect();
    for (let round = 0; round < 3; round++) {
      await client.write(head);
      expect((await client.response(round)).status).toBe(200);
    }
    expect(upstream.requests).toHaveLength(3);
    expect(upstream.last!.rawHeaders.join('\n')).not.toMatch(/upgrade|http2/i);
  });

  it.each([
    ['with a body', (text: string) => text.replace('\r\n\r\n', '\r\nContent-Length: 5\r\n\r\nhello')],
    ['by POST', (text: string) => text.replace('GET', 'POST')],
    ['over HTTP/1.0', (text: string) => text.replace('HTTP/1.1', 'HTTP/1.0')],
  ])('is an ordinary request: to WebSocket %s', async (_what, change) => {
    const upstream = await echoUpstream();
    const gateway = await startTestGateway(route(upstream.backend));
    const { responses } = await gateway.raw(change(handshake('/ws')));
    expect(responses[0]!.status).toBe(200);
    expect(upstream.last!.rawHeaders).not.toContain('Upgrade');
  });

  it('ends the connection where node would lose what stands behind it', async () => {
    const upstream = await echoUpstream();
    const gateway = await startTestGateway(route(upstream.backend));
    const head = 'GET /ws/1 HTTP/1.1\r\nHost: gw\r\nConnection: Upgrade\r\nUpgrade: foo\r\n\r\n';
    const next = 'GET /ws/2 HTTP/1.1\r\nHost: gw\r\n\r\n';
    const whole = await gateway.raw(head + next, { until: 'close' });
    const client = await gateway.connect();
    await client.write(head + next.slice(0, 9));
    await client.write(`${next}${next}`);
    await client.untilEnded();
    for (const { responses } of [whole, client]) {
      expect(responses.map((response) => [response.status, response.header('connection')])).toEqual([
        [200, 'close'],
      ]);
    }
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/ws/1', '/ws/1']);
  });

  it('is an ordinary request when it is pipelined behind another', async () => {
    const upstream = await echoUpstream();
    upstream.delayMs = 50;
    const gateway = await startTestGateway(route(upstream.backend));
    const { responses } = await gateway.raw(`GET /ws/1 HTTP/1.1\r\nHost: gw\r\n\r\n${handshake('/ws/2')}`, {
      until: 2,
    });
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  });
});
