import { describe, expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import { blackHole } from '../support/black-hole.js';
import { echoUpstream, freePort, type RawHandler, rawUpstream, startTestGateway } from '../support/index.js';

const GET = 'GET /a HTTP/1.1\r\nHost: h\r\n\r\n';
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n';
/** Timeouts of the tests in ms; and what a busy machine may add. */
const TIMEOUT = 300;
const LATE = 1_500;

async function behind(script: RawHandler, route: object = {}, upstream: object = {}) {
  const server = await rawUpstream(script);
  const gateway = await startTestGateway({
    upstreams: { one: { backends: [server.backend], ...upstream } },
    routes: [{ path: '/', upstream: 'one', ...route }],
  });
  return { upstream: server, gateway };
}

/** Runs it, and says how many milliseconds it took. */
async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const start = performance.now();
  return [await work(), performance.now() - start];
}

function expectAround(ms: number, wanted: number): void {
  expect(ms).toBeGreaterThanOrEqual(wanted - 20);
  expect(ms).toBeLessThan(wanted + LATE);
}

describe('case 35: an upstream that accepts and never answers', () => {
  it.each([
    ['timeout', { timeout: '300ms' }],
    ['timeouts.response', { timeouts: { response: '300ms' } }],
    ['timeouts.total', { timeouts: { total: '300ms' } }],
  ])('504 after %s', async (_, route) => {
    const { gateway, upstream } = await behind(() => {}, route);
    const [response, ms] = await timed(() => gateway.get('/a'));
    expect(response.status).toBe(504);
    expect(response.json()).toMatchObject({ code: 'upstream_timeout' });
    expectAround(ms, TIMEOUT);
    await upstream.connections[0]!.untilClosed({ timeoutMs: 1_000 });
    await gateway.logged('upstream request failed', { reason: 'upstream_timeout' });
    await gateway.logged('request completed', { status: 504, reason: 'upstream_timeout' });
    await untilAtRest(gateway);
  });

  it('nor does half a head or an interim answer save it', async () => {
    for (const sent of ['HTTP/1.1 200 OK\r\nX-A: b', 'HTTP/1.1 102 Processing\r\n\r\n']) {
      const { gateway } = await behind((connection) => connection.write(sent), { timeout: '300ms' });
      expect((await gateway.get('/a')).status).toBe(504);
      await untilAtRest(gateway);
    }
  });

  it('the time starts when the upload has ended', async () => {
    const { gateway } = await behind(() => {}, { timeout: '300ms' });
    const client = await gateway.connect();
    await client.write('POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\n');
    for (const piece of ['a', 'b', 'c', 'd', 'e']) {
      await new Promise((resolve) => setTimeout(resolve, 120));
      await client.write(piece);
    }
    expect(client.responses).toEqual([]);
    const [response, ms] = await timed(async () => {
      await client.write('f');
      return client.response();
    });
    expect(response.status).toBe(504);
    expectAround(ms, TIMEOUT);
  });
});

describe('case 35: an upstream that answers and then falls silent', () => {
  it.each([
    ['timeouts.idle', { timeouts: { idle: '300ms' } }, 'idle timeout'],
    ['timeouts.total', { timeouts: { total: '300ms' } }, 'total timeout'],
  ])('is cut after %s, with no second status', async (_, route, err) => {
    const { gateway, upstream } = await behind((connection) => connection.write(`${HEAD}hello`), route);
    const [text, ms] = await timed(async () => (await gateway.raw(GET, { until: 'close' })).text);
    expectAround(ms, TIMEOUT);
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(text).toMatch(/hello\r\n$/);
    await upstream.connections[0]!.untilClosed({ timeoutMs: 1_000 });
    await gateway.logged('upstream request failed', { reason: 'upstream_aborted', err });
    await gateway.logged('request completed', { status: 200, reason: 'upstream_aborted' });
    await untilAtRest(gateway);
  });

  it('goes on as long as it says something in time', async () => {
    const { gateway } = await behind(
      async (connection) => {
        await connection.write(HEAD);
        for (let piece = 0; piece < 6; piece++) {
          await new Promise((resolve) => setTimeout(resolve, 120));
          await connection.write(String(piece));
        }
        connection.end();
      },
      { timeout: '200ms', timeouts: { idle: '400ms' } },
    );
    expect((await gateway.get('/a')).text).toBe('012345');
  });

  it('after 5 MB that the client does not read: ended too, which nobody holds against the backend', async () => {
    const { gateway, upstream } = await behind(
      (connection) => connection.write(Buffer.concat([Buffer.from(HEAD), Buffer.alloc(5 * 1024 ** 2)])),
      { timeouts: { idle: '300ms' } },
    );
    const client = await gateway.connect();
    client.pause();
    await client.write(GET);
    await gateway.logged('request completed', { status: 200, reason: 'request_timeout' });
    expect(gateway.logsWith('upstream request failed')).toHaveLength(0);
    await upstream.connections[0]!.untilClosed({ timeoutMs: 1_000 });
    await untilAtRest(gateway);
    client.resume();
    await client.untilClosed();
    expect(client.responses[0]!.complete).toBe(false);
  });
});

describe('an upload that the upstream does not take', () => {
  it('ends at the idle time: 504', async () => {
    const { gateway } = await behind((connection) => connection.pause(), {
      max_body_size: 0,
      timeouts: { idle: '300ms' },
    });
    const client = await gateway.connect();
    await client.write(`POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: ${64 * 1024 ** 2}\r\n\r\n`);
    client.socket.write(Buffer.alloc(32 * 1024 ** 2));
    const line = await gateway.logged('request completed');
    expect(line).toMatchObject({ status: 504, reason: 'upstream_timeout' });
    await untilAtRest(gateway);
  });
});

describe('case 35: a backend that does not accept', () => {
  it('is given connect_timeout, then 504', async () => {
    const port = await blackHole();
    const gateway = await startTestGateway({
      upstreams: {
        one: {
          backends: [{ url: `http://127.0.0.1:${port}` }],
          connection: { connect_timeout: '300ms' },
        },
      },
      routes: [{ path: '/', upstream: 'one' }],
    });
    const [response, ms] = await timed(() => gateway.get('/a'));
    expect([response.status, response.json()['code']]).toEqual([504, 'upstream_timeout']);
    expectAround(ms, TIMEOUT);
    await gateway.logged('upstream request failed', { reason: 'upstream_timeout', err: 'connect timeout' });
    await untilAtRest(gateway);
  });

  it('costs the client only time while another one is there', async () => {
    const [port, echo] = [await blackHole(), await echoUpstream()];
    const gateway = await startTestGateway({
      upstreams: {
        one: {
          backends: [{ url: `http://127.0.0.1:${port}` }, echo.backend],
          connection: { connect_timeout: '200ms' },
        },
      },
      routes: [{ path: '/', upstream: 'one' }],
    });
    const answers = [await gateway.get('/a'), await gateway.request('/b', { method: 'POST', body: 'x' })];
    expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
    await untilAtRest(gateway);
  });

  it('within the deadline of the route', async () => {
    const port = await blackHole();
    const gateway = await startTestGateway({
      routes: [{ path: '/', timeout: '200ms', backends: [{ url: `http://127.0.0.1:${port}` }] }],
    });
    const [response, ms] = await timed(() => gateway.get('/a'));
    expect(response.status).toBe(504);
    expectAround(ms, 200);
    await untilAtRest(gateway);
  });
});

describe('a client that is too slow', () => {
  it('with its head: 408 after header_timeout, one line', async () => {
    const gateway = await startTestGateway({
      server: { header_timeout: '300ms' },
      routes: [{ path: '/', backends: [{ url: `http://127.0.0.1:${await freePort()}` }] }],
    });
    const { responses, closed } = await gateway.raw('GET /a HTTP/1.1\r\nHos', { until: 'close' });
    expect([responses[0]!.status, closed]).toEqual([408, true]);
    expect(responses[0]!.json()).toMatchObject({ code: 'request_timeout' });
    await gateway.logged('request completed', { status: 408, reason: 'request_timeout' });
    expect(gateway.logsWith('request completed')).toHaveLength(1);
    await untilAtRest(gateway);
  });

  it('with its body: 408 after body_timeout, and the upstream request ends unfinished', async () => {
    const server = await rawUpstream(() => {});
    const gateway = await startTestGateway({
      server: { body_timeout: '300ms' },
      routes: [{ path: '/', backends: [server.backend] }],
    });
    const { responses } = await gateway.raw('POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf', {
      until: 'close',
    });
    expect(responses[0]!.status).toBe(408);
    await server.connections[0]!.untilClosed({ timeoutMs: 1_000 });
    expect(server.requests[0]!.complete).toBe(false);
    await gateway.logged('request completed', { status: 408, reason: 'request_timeout' });
    expect(gateway.logsWith('upstream request failed')).toHaveLength(0);
    await untilAtRest(gateway);
  });
});
