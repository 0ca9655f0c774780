import { describe, expect, it } from 'vitest';

import { rawUpstream, type RawConnection, waitFor } from '../support/index.js';
import { before, echoScene, OK, rawGet } from './scene.js';

const PAST = { until: 'close' } as const;

/** An upstream that answers each request when it is told to. */
async function held(document: object = {}) {
  const waiting: (() => void)[] = [];
  const upstream = await rawUpstream(async (connection: RawConnection) => {
    for (let index = 0; ; index++) {
      // oxlint-disable-next-line no-await-in-loop -- one request after the other.
      await connection.until(() => connection.requests[index]?.complete, 'a request', { timeoutMs: 60_000 });
      // oxlint-disable-next-line no-await-in-loop
      await new Promise<void>((resolve) => waiting.push(resolve));
      // oxlint-disable-next-line no-await-in-loop
      await connection.write(OK);
    }
  });
  const gateway = await before(upstream, {}, document);
  const arrived = (count: number) =>
    waitFor(() => upstream.requests.length >= count, `${count} requests upstream`);
  return { upstream, gateway, arrived, answer: () => waiting.shift()?.() };
}

describe('pipelined requests', () => {
  it('go one at a time and are answered in order', async () => {
    const { gateway, upstream, arrived, answer } = await held();
    const client = await gateway.connect();
    const post = 'POST /p/b HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi';
    await client.write(rawGet('/p/a') + post + rawGet('/nowhere') + rawGet('/p/c'));
    await arrived(1);
    // A request of another connection overtakes those that wait.
    const other = gateway.raw(rawGet('/p/other'));
    await arrived(2);
    expect(upstream.requests.map(({ target }) => target)).toEqual(['/p/a', '/p/other']);
    answer();
    answer();
    await other;
    await arrived(3);
    answer();
    await arrived(4);
    answer();
    await client.response(3);
    expect(client.responses.map(({ status }) => status)).toEqual([200, 200, 404, 200]);
    const targets = upstream.requests.map(({ target }) => target).filter((target) => target !== '/p/other');
    expect(new Set(targets)).toEqual(new Set(['/p/a', '/p/b', '/p/c']));
  });

  it('that wait are never sent once the client has left, and end as such', async () => {
    const { gateway, upstream, arrived } = await held();
    const client = await gateway.connect();
    await client.write(rawGet('/p/a') + rawGet('/p/b') + rawGet('/p/c'));
    await arrived(1);
    client.destroy();
    await waitFor(
      () => gateway.logsWith('request completed', { reason: 'client_closed' }).length === 3,
      'three lines',
    );
    expect(upstream.requests.map(({ target }) => target)).toEqual(['/p/a']);
    expect(gateway.logsWith('request completed', { status: 499 })).toHaveLength(3);
  });

  it('in their hundreds behind one that hangs cost the connection', async () => {
    const { gateway, upstream, arrived } = await held();
    const client = await gateway.connect();
    await client.write(rawGet('/p/a'));
    await arrived(1);
    await client.write(rawGet('/p/b').repeat(400));
    await client.untilClosed();
    expect(upstream.requests).toHaveLength(1);
    await waitFor(async () => (await gateway.metric('gateway_active_requests')) === 0, 'nothing active');
  });

  it('of a hundred are all served', async () => {
    const { gateway } = await echoScene();
    const { responses } = await gateway.raw(rawGet('/p').repeat(100), { until: 100 });
    expect(responses.every(({ status }) => status === 200)).toBe(true);
  });
});

describe('garbage behind a whole request', () => {
  it.each([
    ['no HTTP', 'GARBAGE\r\n\r\n', 501],
    ['a malformed head', 'GET /p HTTP/1.1\r\nHost: h\r\nX A: b\r\n\r\n', 400],
    ['an odd coding', 'POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: x, chunked\r\n\r\n', 400],
    ['CONNECT', 'CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n', 501],
    ['a huge head', `GET /p HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('does that no harm: %s', async (_, garbage, status) => {
    const { gateway, arrived, answer } = await held();
    const client = await gateway.connect();
    await client.write(rawGet('/p/a'));
    await arrived(1);
    await client.write(garbage);
    answer();
    await client.untilEnded();
    expect(client.responses.map((response) => response.status)).toEqual([200, status]);
    expect(client.responses[1]!.header('connection')).toBe('close');
    expect(gateway.logsWith('request completed').map((line) => line['status'])).toEqual([200, status]);
  });

  it('is answered at once where nothing is under way, with one log line', async () => {
    const { gateway } = await echoScene();
    const { responses } = await gateway.raw(`${rawGet('/p')}GARBAGE\r\n\r\nGARBAGE\r\n\r\n`, PAST);
    expect(responses.map(({ status }) => status)).toEqual([200, 501]);
    expect(gateway.logsWith('request completed')).toHaveLength(2);
  });

  it('that comes too slowly is a 408 after the answer', async () => {
    const { gateway, arrived, answer } = await held({ server: { header_timeout: '300ms' } });
    const client = await gateway.connect();
    await client.write(`${rawGet('/p/a')}GET /p/b HTTP/1.1\r\nX-`);
    await arrived(1);
    await new Promise((resolve) => setTimeout(resolve, 700));
    answer();
    await client.untilEnded();
    expect(client.responses.map(({ status }) => status)).toEqual([200, 408]);
  });
});

describe('after Connection: close', () => {
  it.each([
    ['another request', rawGet('/p/after')],
    ['garbage', 'GARBAGE\r\n\r\n'],
    ['an empty line, as old clients send behind a body', '\r\n'],
  ])('of the client, %s is nobody’s message', async (_, rest) => {
    const { gateway, upstream } = await echoScene();
    const { responses } = await gateway.raw(rawGet('/p', 'Connection: close\r\n') + rest, PAST);
    expect(responses.map(({ status }) => status)).toEqual([200]);
    expect(upstream.requests).toHaveLength(1);
  });

  const large = 'x'.repeat(70_000);

  it.each([
    ['a large body', `Content-Length: 70000\r\n\r\n`, large],
    ['a chunked body', 'Transfer-Encoding: chunked\r\n\r\n', '5\r\nhello\r\n0\r\n\r\n'],
    ['a body that waits for 100', 'Expect: 100-continue\r\nContent-Length: 5\r\n\r\n', 'hello'],
  ])('of the gateway, which refused %s, the next request is not processed', async (_, lines, body) => {
    const { gateway, upstream } = await echoScene();
    const client = await gateway.connect({ allowHalfOpen: true });
    await client.write(`POST /nowhere HTTP/1.1\r\nHost: h\r\n${lines}`);
    await client.response();
    await client.write(body + rawGet('/p/smuggled'));
    await client.untilEnded();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(client.responses.map(({ status }) => status)).toEqual([404]);
    expect([upstream.started, gateway.logsWith('request completed').length]).toEqual([0, 1]);
  });
});
