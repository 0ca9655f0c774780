import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';

import { describe, expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import {
  type Echo,
  echoUpstream,
  type EchoUpstream,
  rawUpstream,
  type RawUpstream,
  startTestGateway,
  type TestGateway,
  waitFor,
} from '../support/index.js';

const QUICK = { backoff: '10ms', jitter: false };
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const BUSY = 'HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy';

function behind(backends: readonly { backend: object }[], route: object = {}): Promise<TestGateway> {
  return startTestGateway({
    routes: [{ path: '/', backends: backends.map(({ backend }) => backend), retry: QUICK, ...route }],
  });
}

/** An upstream whose first answers are 503, and its gateway. */
async function flaky(failures: number, route: object = {}) {
  let left = failures;
  const upstream = await echoUpstream({
    respond: (_, response) => {
      if (left-- <= 0) return false;
      response.writeHead(503, upstream.headers).end('busy');
    },
  });
  return { upstream, gateway: await behind([upstream], route) };
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** What the backends got whole is what the client sent, every time. */
function expectBodies(upstreams: readonly EchoUpstream[], body: Buffer, times: number): void {
  const got = upstreams.flatMap(({ requests }) => requests);
  expect(got.map((echo) => [echo.bodyBytes, echo.sha256])).toEqual(
    Array.from({ length: times }, () => [body.length, sha256(body)]),
  );
}

describe('an answer that is not wanted', () => {
  it('gives way to a better one, unseen', async () => {
    const { upstream, gateway } = await flaky(2);
    const response = await gateway.get('/a?b=c');
    expect([response.status, response.json<Echo>().url]).toEqual([200, '/a?b=c']);
    expect(upstream.requests).toHaveLength(3);
    const line = await gateway.logged('request completed', { path: '/a?b=c' });
    expect(line).toMatchObject({ status: 200, attempts: 3, reason: null });
    expect(await gateway.metric('gateway_retries_total', { path: '/', reason: '503' })).toBe(2);
    await untilAtRest(gateway);
  });

  it.each([
    [500, {}, 1],
    [502, {}, 2],
    [504, {}, 2],
    [429, { statuses: [429, '500-501'] }, 2],
    [501, { statuses: [429, '500-501'] }, 2],
    [503, { statuses: [429, '500-501'] }, 1],
    [503, { statuses: [] }, 1],
    [503, { methods: ['PUT'] }, 1],
  ])('%i with %j: %i attempts', async (status, retry, hits) => {
    const upstream = await echoUpstream();
    upstream.status = status;
    const gateway = await behind([upstream], { retry: { ...QUICK, ...retry, attempts: 2 } });
    expect((await gateway.get('/')).status).toBe(status);
    expect(upstream.requests).toHaveLength(hits);
  });

  it('is not waited for with HEAD either', async () => {
    const { upstream, gateway } = await flaky(1);
    const response = await gateway.request('/a', { method: 'HEAD' });
    expect([response.status, response.text]).toEqual([200, '']);
    expect(upstream.requests.map(({ method }) => method)).toEqual(['HEAD', 'HEAD']);
    await untilAtRest(gateway);
  });

  it('is read to its end when it is short: the connection serves the next attempt', async () => {
    const { upstream, gateway } = await flaky(2, { retry: { backoff: '100ms', jitter: false } });
    expect((await gateway.get('/')).status).toBe(200);
    expect(upstream.requests.map(({ connId, reqNo }) => [connId, reqNo])).toEqual([
      [1, 1],
      [1, 2],
      [1, 3],
    ]);
  });

  it.each([
    ['too long', (size: number) => `HTTP/1.1 503 Busy\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(size)}`],
    ['without an end', (size: number) => `HTTP/1.1 503 Busy\r\nContent-Length: ${size}\r\n\r\nx`],
  ])('holds up nobody when it is %s, and its connection is closed', async (_, reply) => {
    const upstream = await rawUpstream(async (connection) => {
      await connection.request();
      await connection.write(connection.index === 0 ? reply(4 * 1024 ** 2) : OK);
    });
    const gateway = await behind([upstream]);
    expect((await gateway.get('/')).text).toBe('ok');
    await upstream.connections[0]!.untilClosed({ timeoutMs: 2_000 });
    await untilAtRest(gateway);
  });

  it('has given its place at the backend back by the next attempt', async () => {
    const upstream = await rawUpstream(async (connection) => {
      await connection.request();
      await connection.write(connection.index === 0 ? 'HTTP/1.1 503 Busy\r\nContent-Length: 9\r\n\r\nx' : OK);
    });
    const gateway = await behind([upstream], { connection: { max_connections: 1, max_pending: 1 } });
    expect((await gateway.get('/')).text).toBe('ok');
    await untilAtRest(gateway);
  });
});

describe('which backend is next', () => {
  it('another one where there is one', async () => {
    const [bad, good] = [await echoUpstream(), await echoUpstream()];
    bad.status = 503;
    const gateway = await behind([bad, good], { retry: { ...QUICK, attempts: 2 } });
    const answers = [];
    for (let request = 0; request < 6; request++) answers.push(await gateway.get('/'));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200));
    expect(good.requests).toHaveLength(6);
    expect(bad.requests.length).toBeGreaterThanOrEqual(2);
  });

  it.each([
    ['resets the connection', (upstream: RawUpstream) => upstream.connections.at(-1)!.reset()],
    ['never answers', () => {}],
    [
      'answers what is no HTTP',
      (upstream: RawUpstream) => void upstream.connections.at(-1)!.write('nonsense\r\n\r\n'),
    ],
  ])('the same for one that %s', async (_, how) => {
    const bad: RawUpstream = await rawUpstream(async (connection) => {
      await connection.head();
      how(bad);
    });
    const good = await echoUpstream();
    const gateway = await behind([bad, good], { timeouts: { response: '200ms' } });
    const answers = [await gateway.get('/1'), await gateway.get('/2')];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(bad.connections).toHaveLength(1);
    await gateway.logged('upstream request failed', { attempt: 1, route: 'any' });
    await untilAtRest(gateway);
  });
});

describe('a body', () => {
  const body = randomBytes(10_240);
  const length = { 'content-length': String(body.length) };

  it.each([
    ['with its length', () => body, length],
    [
      'in chunks',
      () => Readable.from([body.subarray(0, 7), body.subarray(7, 8_000), body.subarray(8_000)]),
      {},
    ],
    ['that is empty', () => Readable.from([]), {}],
  ])('%s is sent again byte for byte', async (name, content, headers) => {
    const { upstream, gateway } = await flaky(2);
    const response = await gateway.request('/', { method: 'PUT', body: content(), headers });
    expect(response.status).toBe(200);
    expectBodies([upstream], name.includes('empty') ? Buffer.alloc(0) : body, 3);
    await untilAtRest(gateway);
  });

  it('is sent again after a reset in the middle of it, while the client still sends', async () => {
    const bad = await rawUpstream(async (connection) => {
      await connection.until(() => connection.requests[0]?.body.length === 100, 'half');
      connection.reset();
    });
    const good = await echoUpstream();
    for (const framing of ['Content-Length: 200', 'Transfer-Encoding: chunked']) {
      const gateway = await behind([bad, good]);
      const client = await gateway.connect();
      const piece = (text: string): string =>
        framing.startsWith('C') ? text : `${text.length.toString(16)}\r\n${text}\r\n`;
      await client.write(`PUT /a HTTP/1.1\r\nHost: h\r\n${framing}\r\n\r\n${piece('a'.repeat(100))}`);
      await gateway.logged('upstream request failed');
      for (let sent = 0; sent < 10; sent++) await client.write(piece('b'.repeat(10)));
      if (framing.startsWith('T')) await client.write('0\r\n\r\n');
      expect((await client.response()).status).toBe(200);
      expect(good.last).toMatchObject({
        bodyBytes: 200,
        sha256: sha256(Buffer.from('a'.repeat(100) + 'b'.repeat(100))),
      });
      await untilAtRest(gateway);
    }
  });

  it.each([
    ['an answer', BUSY],
    ['the beginning of an answer', BUSY.slice(0, -1)],
  ])('is sent again after %s that came in the middle of it', async (_, answer) => {
    const bad = await rawUpstream(async (connection) => {
      await connection.until(() => connection.requests[0]?.body.length === 100, 'half');
      await connection.write(answer);
    });
    const good = await echoUpstream();
    const gateway = await behind([bad, good], { retry: { backoff: '500ms', jitter: false } });
    const client = await gateway.connect();
    await client.write(`PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 200\r\n\r\n${'a'.repeat(100)}`);
    await waitFor(async () => (await gateway.metric('gateway_retries_total')) === 1, 'a retry');
    // In the backoff: whoever read the body before must not take this.
    await client.write('b'.repeat(100));
    expect((await client.response()).status).toBe(200);
    expect(good.last!.bodyBytes).toBe(200);
    expect(bad.requests[0]!.body.length).toBe(100);
    await untilAtRest(gateway);
  });

  it('longer than max_body is not: the answer passes', async () => {
    for (const [headers, content] of [
      [length, body],
      [{}, Readable.from([body.subarray(0, 5_000), body.subarray(5_000)])],
    ] as const) {
      const { upstream, gateway } = await flaky(1, { retry: { ...QUICK, max_body: '8kb' } });
      const response = await gateway.request('/', { method: 'PUT', body: content, headers });
      expect([response.status, response.text]).toEqual([503, 'busy']);
      expectBodies([upstream], body, 1);
      await untilAtRest(gateway);
    }
  });

  it('above max_body_size is refused whichever attempt it belongs to', async () => {
    const bad = await rawUpstream(async (connection) => {
      await connection.until(() => connection.requests[0]?.body.length === 800, 'half');
      connection.reset();
    });
    const good = await echoUpstream();
    const gateway = await behind([bad, good], { max_body_size: '1kb' });
    const client = await gateway.connect();
    await client.write('PUT /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n');
    await client.write(`320\r\n${'a'.repeat(800)}\r\n`);
    await gateway.logged('upstream request failed');
    await client.write(`e0\r\n${'b'.repeat(224)}\r\n`);
    await waitFor(() => good.started === 1, 'the second attempt');
    await client.write('1\r\nc\r\n');
    expect((await client.response()).status).toBe(413);
    expect(good.requests).toHaveLength(0);
    await untilAtRest(gateway);
  });

  it('is asked for once with Expect: 100-continue', async () => {
    const { upstream, gateway } = await flaky(2);
    const client = await gateway.connect();
    await client.write('PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n');
    await client.until(() => client.text.includes('100 Continue'), 'the interim answer');
    await client.write('hello');
    await client.until(() => client.text.includes('200 OK'), 'the answer');
    expect(client.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200']);
    expectBodies([upstream], Buffer.from('hello'), 3);
  });

  it('whose client is too slow in a later attempt ends with 408', async () => {
    const bad = await rawUpstream(async (connection) => {
      await connection.until(() => connection.requests[0]?.body.length === 4, 'half');
      connection.reset();
    });
    const good = await echoUpstream();
    const gateway = await startTestGateway({
      server: { body_timeout: '300ms' },
      routes: [{ path: '/', backends: [bad.backend, good.backend], retry: QUICK }],
    });
    const { responses } = await gateway.raw('PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf', {
      until: 'close',
    });
    expect(responses[0]!.status).toBe(408);
    await untilAtRest(gateway);
  });

  it('does not move the deadline by being sent again', async () => {
    const upstream = await rawUpstream(() => {});
    const route = { timeout: '1200ms', timeouts: { response: '150ms' }, retry: { ...QUICK, attempts: 100 } };
    const gateway = await behind([upstream], route);
    const start = performance.now();
    expect((await gateway.request('/', { method: 'PUT', body: 'abc' })).status).toBe(504);
    expect(performance.now() - start).toBeLessThan(6_000);
    expect(upstream.connections.length).toBeGreaterThanOrEqual(2);
    await untilAtRest(gateway);
  });

  it('slower than `timeout` is sent again all the same: time runs while the upstream is waited for', async () => {
    let resets = 0;
    const bad = await rawUpstream(async (connection) => {
      await connection.until(() => connection.requests[0]?.body.length === 6, 'most');
      resets++;
      connection.reset();
    });
    const good = await echoUpstream();
    const gateway = await behind([bad, good], { timeout: '400ms' });
    const client = await gateway.connect();
    await client.write('PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 8\r\n\r\n');
    const start = performance.now();
    for (const letter of 'abcdefgh') {
      const due = performance.now() + 100;
      await waitFor(() => performance.now() >= due, 'the next piece');
      await client.write(letter);
    }
    expect(performance.now() - start).toBeGreaterThan(700);
    expect((await client.response()).status).toBe(200);
    expect([resets, good.last!.bodyBytes]).toEqual([1, 8]);
    await untilAtRest(gateway);
  });

  it('leaves the connection to the client in order when the attempts are used up', async () => {
    const upstream = await rawUpstream(async (connection) => {
      await connection.until(() => connection.requests[0]?.body.length === 3, 'half');
      connection.reset();
    });
    const gateway = await startTestGateway({
      server: { body_timeout: '300ms' },
      routes: [{ path: '/', backends: [upstream.backend], retry: { ...QUICK, attempts: 2 } }],
    });
    const client = await gateway.connect();
    await client.write('PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\nabc');
    expect((await client.response()).status).toBe(502);
    await client.write('def');
    // Longer than a body that nobody reads is waited for.
    const due = performance.now() + 600;
    await waitFor(() => performance.now() >= due, 'time to pass');
    await client.write('GET /health/live HTTP/1.1\r\nHost: h\r\n\r\n');
    expect((await client.response(1)).status).toBe(200);
    expect(upstream.connections).toHaveLength(2);
    await untilAtRest(gateway);
  });
});

describe('in a backoff', () => {
  const LONG = { backoff: '1m', max_backoff: '1m', jitter: false };

  it.each([
    ['a request without a body', 'GET / HTTP/1.1\r\nHost: h\r\n\r\n'],
    ['an upload', 'PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf'],
  ])('a client that leaves ends it, with %s: nothing is sent any more', async (_, request) => {
    const upstream = await rawUpstream(async (connection) => {
      await connection.head();
      await connection.write(BUSY);
    });
    const route = { timeout: '5m', retry: LONG };
    const gateway = await behind([upstream], route);
    const client = await gateway.connect();
    await client.write(request);
    await waitFor(async () => (await gateway.metric('gateway_retries_total')) === 1, 'a retry');
    client.reset();
    const line = await gateway.logged('request completed', { status: 499 });
    expect(line).toMatchObject({ reason: 'client_closed', attempts: 1 });
    await untilAtRest(gateway);
    expect(upstream.requests).toHaveLength(1);
  });

  it('an exchange stays on its snapshot over a reload', async () => {
    const [bad, other] = [await echoUpstream(), await echoUpstream()];
    bad.status = 503;
    const document = (backend: object) => ({
      routes: [{ path: '/', backends: [backend], retry: { backoff: '300ms', jitter: false, attempts: 2 } }],
    });
    const gateway = await startTestGateway(document(bad.backend));
    const answer = gateway.get('/');
    await waitFor(async () => (await gateway.metric('gateway_retries_total')) === 1, 'a retry');
    expect(await gateway.reload(document(other.backend))).toBe(true);
    expect((await answer).status).toBe(503);
    expect([bad.requests.length, other.requests.length]).toEqual([2, 0]);
    expect((await gateway.get('/')).status).toBe(200);
  });

  it('a stop waits for it', async () => {
    const { upstream, gateway } = await flaky(1, { retry: { backoff: '300ms', jitter: false } });
    const answer = gateway.get('/', { agent: false });
    await waitFor(() => upstream.requests.length === 1, 'the first attempt');
    await gateway.stop('SIGTERM');
    expect((await answer).status).toBe(200);
    expect(gateway.logsWith('shutdown complete', { cut: 0 })).toHaveLength(1);
  });
});

it('the budget outlives a reload that leaves the route mounted', async () => {
  const upstream = await echoUpstream();
  upstream.status = 503;
  const retry = { ...QUICK, multiplier: 1, attempts: 41, budget: '0%' };
  const route = { path: '/', backends: [upstream.backend], retry };
  const gateway = await startTestGateway({ routes: [route] });
  expect((await gateway.get('/')).status).toBe(503);
  expect(upstream.requests).toHaveLength(31);
  expect(await gateway.reload({ routes: [route, { path: '/new', backends: [upstream.backend] }] })).toBe(
    true,
  );
  expect((await gateway.get('/')).status).toBe(503);
  expect(upstream.requests).toHaveLength(32);
});
