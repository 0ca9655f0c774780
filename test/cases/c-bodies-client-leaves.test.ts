import { once } from 'node:events';

import { describe, expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import {
  type RawClient,
  type RawConnection,
  rawUpstream,
  type RawHandler,
  startTestGateway,
} from '../support/index.js';

type Leave = (client: RawClient) => void;

const LEAVING: [string, Leave][] = [
  ['destroys its socket', (client) => client.destroy()],
  ['resets its socket', (client) => client.reset()],
  ['ends its half', (client) => client.end()],
];
const GET = 'GET /a HTTP/1.1\r\nHost: h\r\n\r\n';
/** Well above the 100 ms aimed at: what counts here is that it is not left to a timeout. */
const SOON = { timeoutMs: 1_000 };

async function setUp(handler: RawHandler) {
  const upstream = await rawUpstream(handler);
  const gateway = await startTestGateway({
    server: { max_body_size: 0 },
    routes: [{ path: '/', max_body_size: 0, backends: [upstream.backend] }],
  });
  const client = await gateway.connect();
  const connected = async (): Promise<RawConnection> => {
    while (upstream.connections.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    return upstream.connections[0]!;
  };
  return { upstream, gateway, client, connected };
}

describe.each(LEAVING)('case 30: a client %s', (_, leave) => {
  it('before the head: the upstream request ends, 499, nothing left over', async () => {
    const { gateway, client, connected } = await setUp(() => {});
    await client.write(GET);
    const connection = await connected();
    await connection.head();
    leave(client);
    await connection.untilClosed(SOON);
    const line = await gateway.logged('request completed');
    expect(line).toMatchObject({ status: 499, reason: 'client_closed', bytes_written: 0 });
    await untilAtRest(gateway);
    expect(gateway.logsWith('request completed')).toHaveLength(1);
    expect(gateway.logsWith('upstream request failed')).toHaveLength(0);
  });

  it.each([
    ['with a length', 'Content-Length: 1000000\r\n\r\n', 'x'.repeat(30_000)],
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n', `7530\r\n${'x'.repeat(30_000)}\r\n`],
  ])('in the middle of an upload %s', async (__, framing, piece) => {
    const { gateway, client, connected } = await setUp(() => {});
    await client.write(`POST /a HTTP/1.1\r\nHost: h\r\n${framing}${piece}`);
    const connection = await connected();
    await connection.until(() => connection.bytesReceived > 30_000, 'the piece');
    leave(client);
    await connection.untilClosed(SOON);
    await gateway.logged('request completed', { status: 499, reason: 'client_closed' });
    await untilAtRest(gateway);
    expect(connection.requests[0]!.complete).toBe(false);
    expect(gateway.logsWith('request completed')).toHaveLength(1);
    expect(gateway.logsWith('upstream request failed')).toHaveLength(0);
  });

  it.each([
    ['an SSE answer', 'Content-Type: text/event-stream\r\n\r\ndata: 1\n\n'],
    ['a download', 'Content-Length: 1000000\r\n\r\nhello'],
  ])('in the middle of %s', async (__, answer) => {
    const { gateway, client, connected } = await setUp(async (connection) => {
      await connection.request();
      await connection.write(`HTTP/1.1 200 OK\r\n${answer}`);
    });
    await client.write(GET);
    await client.until(() => client.responses[0]?.body.length, 'the first bytes');
    leave(client);
    await (await connected()).untilClosed(SOON);
    await gateway.logged('request completed', { status: 200, reason: 'client_closed' });
    await untilAtRest(gateway);
    expect(gateway.logsWith('request completed')).toHaveLength(1);
    expect(gateway.logsWith('upstream request failed')).toHaveLength(0);
  });
});

describe('a client that leaves', () => {
  it('while its upload is held back by the upstream and it is gone: ended at the idle deadline at the latest', async () => {
    const upstream = await rawUpstream((connection) => connection.pause());
    const gateway = await startTestGateway({
      routes: [{ path: '/', max_body_size: 0, timeouts: { idle: '400ms' }, backends: [upstream.backend] }],
    });
    const client = await gateway.connect();
    await client.write('POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n');
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    while (client.socket.write(chunk));
    await new Promise((resolve) => setTimeout(resolve, 100));
    client.reset();
    await gateway.logged('request completed');
    await untilAtRest(gateway);
    const [connection] = upstream.connections;
    connection!.resume();
    await connection!.untilClosed(SOON);
    expect(gateway.logsWith('request completed')).toHaveLength(1);
  });

  it('while it does not read: ended too', async () => {
    const { gateway, client, connected } = await setUp(async (connection) => {
      await connection.request();
      await connection.write('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n');
      connection.socket.write(Buffer.alloc(32 * 1024 * 1024));
    });
    client.pause();
    await client.write(GET);
    const connection = await connected();
    await connection.head();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(connection.socket.writableLength).toBeGreaterThan(0);
    client.reset();
    await connection.untilClosed(SOON);
    await gateway.logged('request completed', { reason: 'client_closed' });
    await untilAtRest(gateway);
  });

  it('while its request waits for a connection: it is taken out of the queue', async () => {
    const upstream = await rawUpstream(() => {});
    const gateway = await startTestGateway({
      upstreams: { one: { backends: [upstream.backend], connection: { max_connections: 1 } } },
      routes: [{ path: '/', upstream: 'one' }],
    });
    const clients = [await gateway.connect(), await gateway.connect()];
    for (const client of clients) {
      await client.write(GET);
      await expect.poll(() => gateway.metric('gateway_active_requests')).toBe(clients.indexOf(client) + 1);
    }
    clients[1]!.destroy();
    await gateway.logged('request completed', { status: 499 });
    await upstream.connections[0]!.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    await clients[0]!.response();
    await untilAtRest(gateway);
    expect(upstream.requests).toHaveLength(1);
  });

  it('with pipelined requests unanswered: each has its line', async () => {
    const { gateway, client, connected } = await setUp(() => {});
    await client.write(GET.repeat(3));
    await (await connected()).head();
    client.destroy();
    await gateway.logged('request completed', { status: 499 });
    await untilAtRest(gateway);
    const lines = gateway.logsWith('request completed');
    expect(lines.every((line) => line['status'] === 499)).toBe(true);
    expect(new Set(lines.map((line) => line['request_id'])).size).toBe(lines.length);
  });

  it('twenty at once: no failure of the upstream is counted, and the next client is served (case 39)', async () => {
    let answers = false;
    const { gateway, upstream } = await setUp(async (connection) => {
      await connection.request();
      if (answers) await connection.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
    const clients = await Promise.all(Array.from({ length: 20 }, () => gateway.connect()));
    await Promise.all(clients.map((client) => client.write(GET)));
    await expect.poll(() => upstream.requests.length).toBe(20);
    for (const client of clients) client.destroy();
    await Promise.all(upstream.connections.map((connection) => connection.untilClosed(SOON)));
    await untilAtRest(gateway);
    expect(gateway.logsWith('request completed', { status: 499 })).toHaveLength(20);
    expect(gateway.logsWith('upstream request failed')).toHaveLength(0);
    const counted = await gateway.get('/metrics');
    expect(counted.text).not.toMatch(/^gateway_requests_total\{.*status="5\d\d"/m);
    expect(await gateway.metric('gateway_requests_total', { status: '499' })).toBe(20);
    answers = true;
    expect((await gateway.get('/a')).text).toBe('ok');
  });
});

it('a client that leaves after its answer changes nothing of it', async () => {
  const { gateway, client } = await setUp(async (connection) => {
    await connection.request();
    await connection.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  });
  await client.write(GET);
  await client.response();
  client.destroy();
  await once(client.socket, 'close');
  await gateway.logged('request completed', { status: 200, reason: null, bytes_written: 2 });
  await untilAtRest(gateway);
  expect(gateway.logsWith('request completed')).toHaveLength(1);
});
