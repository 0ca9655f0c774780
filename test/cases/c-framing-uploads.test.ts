import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';

import { beforeAll, describe, expect, it } from 'vitest';

import {
  echoedHeader,
  freePort,
  open,
  type RawClient,
  type RawConnection,
  rawUpstream,
  type RawUpstream,
  type TestGateway,
  waitFor,
} from '../support/index.js';
import { before, echoScene, rawGet } from './scene.js';

const post = (lines: string, target = '/p'): string => `POST ${target} HTTP/1.1\r\nHost: h\r\n${lines}\r\n`;
const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

describe('cases 24 and 26: any body of any type passes', () => {
  let scene: Awaited<ReturnType<typeof echoScene>>;

  beforeAll(async () => {
    scene = await echoScene();
  });

  it.each([
    ['multipart/form-data; boundary=x', '--x\r\n\r\n--x--\r\n'],
    ['application/xml', '<a/>'],
    ['application/octet-stream', '\x00\xff\r\n\r\n0\r\n\r\n'],
    ['application/json', ''],
    ['application/json', '{"a":'],
    ['application/json', '{}'],
    ['application/json', '[]'],
    ['application/json', '""'],
    ['application/json ;charset=utf-8', '{"model":"cheap","model":"costly"}'],
    ['APPLICATION/JSON', '{"a":1}'],
    ['application/x-www-form-urlencoded', 'a=1&a=2&b=%zz'],
    ['text/plain; charset="utf-8"', 'x'.repeat(1024 * 1024)],
    ['not a type', 'x'],
  ])('%s', async (type, text) => {
    const body = Buffer.from(text, 'latin1');
    const response = await scene.gateway.request('/p', {
      method: 'POST',
      body,
      headers: { 'content-type': type, 'content-length': String(body.length) },
    });
    expect(response.status).toBe(200);
    const received = scene.upstream.last!;
    expect([received.bodyBytes, received.sha256]).toEqual([body.length, sha256(body)]);
    expect(echoedHeader(received, 'content-type')).toEqual([type]);
    expect(echoedHeader(received, 'content-length')).toEqual([String(body.length)]);
  });

  it('no type at all, in chunks of any size', async () => {
    const pieces = [1, 2, 1_000, 70_000, 3].map((size) => Buffer.alloc(size, size % 251));
    await scene.gateway.request('/p', { method: 'POST', body: Readable.from(pieces) });
    const received = scene.upstream.last!;
    expect(received.sha256).toBe(sha256(Buffer.concat(pieces)));
    expect(echoedHeader(received, 'content-type')).toEqual([]);
    expect(echoedHeader(received, 'transfer-encoding')).toEqual(['chunked']);
  });
});

/** An upstream that answers as soon as it has seen the head, whatever still comes. */
async function early(answer: string, then: (connection: RawConnection) => unknown = () => {}) {
  const upstream = await rawUpstream(async (connection) => {
    for (let index = 0; ; index++) {
      // oxlint-disable-next-line no-await-in-loop -- one request after the other.
      await connection.until(() => connection.requests[index], 'a head', { timeoutMs: 60_000 });
      // oxlint-disable-next-line no-await-in-loop
      await connection.write(answer);
      then(connection);
      // oxlint-disable-next-line no-await-in-loop
      await connection.until(() => connection.requests[index]!.complete, 'its body', { timeoutMs: 60_000 });
    }
  });
  return {
    upstream,
    gateway: await before(upstream, { max_body_size: 0 }, { server: { body_timeout: '400ms' } }),
  };
}

const BIG = 'HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig';

describe('case 28: an answer before the upload is done', () => {
  it('reaches a client in the middle of 50 MB, and the upload to the upstream stops', async () => {
    const { upstream, gateway } = await early(
      BIG.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
      (connection) => setTimeout(() => connection.end(), 200),
    );
    const chunk = Buffer.alloc(64 * 1024);
    const body = Readable.from(
      (function* () {
        for (let n = 0; n < 800; n++) yield chunk;
      })(),
    );
    const response = await open(`${gateway.url}/p`, {
      method: 'POST',
      body,
      headers: { 'content-length': String(800 * chunk.length) },
      agent: false,
    });
    let text = '';
    // The upload is cut under the client’s hands afterwards: that is its business.
    response
      .on('error', () => {})
      .setEncoding('utf8')
      .on('data', (piece: string) => (text += piece));
    await waitFor(() => text === 'big', 'the body of the answer');
    expect(response.statusCode).toBe(413);
    await waitFor(() => upstream.connections[0]!.closed, 'the upstream connection closed');
    expect(upstream.connections).toHaveLength(1);
    expect(upstream.connections[0]!.bytesReceived).toBeLessThan(20 * 1024 * 1024);
  });

  it('keeps the connection where little is left, and the rest is no request', async () => {
    const { upstream, gateway } = await early(BIG);
    await using client = await gateway.connect();
    await client.write(post('Content-Length: 50000\r\n') + 'x'.repeat(20_000));
    expect((await client.response(0)).header('connection')).toBe('keep-alive');
    await client.write(
      'y'.repeat(30_000 - rawGet('/p/smuggled').length) + rawGet('/p/smuggled') + rawGet('/p/next'),
    );
    expect((await client.response(1)).status).toBe(413);
    expect(upstream.requests.map(({ target }) => target)).toEqual(['/p', '/p/next']);
  });

  it('keeps the connection of a client that never sends the rest for body_timeout, not for ever', async () => {
    const { gateway } = await early(BIG);
    await using client = await gateway.connect();
    await client.write(`${post('Content-Length: 50000\r\n')}x`);
    expect((await client.response(0)).status).toBe(413);
    await client.untilClosed({ timeoutMs: 2_000 });
    expect(gateway.logsWith('request completed')).toHaveLength(1);
  });

  it.each([
    ['much is left', 'Content-Length: 200000\r\n', 'x'.repeat(20_000)],
    ['nobody knows how much is left', 'Transfer-Encoding: chunked\r\n', '5\r\nhello\r\n'],
  ])('ends the connection where %s, gently', async (_, lines, start) => {
    const { gateway } = await early(BIG);
    await using client = await gateway.connect({ allowHalfOpen: true });
    await client.write(post(lines) + start);
    const answer = await client.response(0);
    expect([answer.text, answer.header('connection')]).toEqual(['big', 'close']);
    // Still sending: a reset now would take the answer away from a client that reads late.
    await client.write('x'.repeat(50_000));
    await client.untilEnded();
    expect(client.error).toBeNull();
  });

  it('of the gateway itself is read by a client that is still sending 900 kB', async () => {
    const { gateway } = await early(BIG);
    for (let round = 0; round < 5; round++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other.
      await using client = await gateway.connect({ allowHalfOpen: true });
      client.pause();
      // oxlint-disable-next-line no-await-in-loop
      await client.write(post('Content-Length: 900000\r\n', '/nowhere') + 'x'.repeat(900_000));
      client.resume();
      // oxlint-disable-next-line no-await-in-loop
      expect((await client.response(0)).status).toBe(404);
    }
  });

  it('does not save a client that goes on sending for ever', async () => {
    const { gateway } = await early(BIG);
    await using client = await gateway.connect({ allowHalfOpen: true });
    await client.write(post('Transfer-Encoding: chunked\r\n', '/nowhere'));
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const started = performance.now();
    let sent = 0;
    for (; !client.closed && performance.now() - started < 5_000; sent++) {
      // oxlint-disable-next-line no-await-in-loop
      if (!(await client.write(chunk))) break;
    }
    await client.untilClosed();
    expect(performance.now() - started).toBeLessThan(2_500);
  });
});

describe('uploads that go wrong', () => {
  /** An upstream that only listens, and a client in the middle of an upload to it. */
  async function uploading(lines: string, start: string, document: object = {}, route: object = {}) {
    const upstream = await rawUpstream(() => {});
    const gateway = await before(upstream, route, document);
    const client = await gateway.connect({ allowHalfOpen: true });
    await client.write(post(lines) + start);
    await waitFor(() => upstream.requests[0] && upstream.requests[0].body.length > 0, 'the start upstream');
    return { upstream, gateway, client };
  }

  const CHUNKED = 'Transfer-Encoding: chunked\r\n';

  async function cutUpstream(upstream: RawUpstream): Promise<void> {
    await waitFor(() => upstream.connections[0]!.closed, 'the upstream connection closed', {
      timeoutMs: 1_000,
    });
    expect(upstream.requests.map(({ complete }) => complete)).toEqual([false]);
    expect(upstream.connections).toHaveLength(1);
  }

  it.each([
    'zz\r\n',
    '5\nhello',
    '-1\r\n',
    '0x5\r\nhello\r\n',
    ' 5\r\nhello\r\n',
    '5 \r\nhello\r\n',
    'fffffffffffffffff\r\n',
    '\r\n',
    '5\r\nhelloworld\r\n',
    '0\r\nnonsense\r\n\r\n',
  ])(
    'a malformed chunk in the middle: 400, close, and the upstream’s request is cut, never ended: %j',
    async (chunk) => {
      const { upstream, gateway, client } = await uploading(CHUNKED, '5\r\nhello\r\n');
      await client.write(`${chunk}${rawGet('/p/smuggled')}`);
      const answer = await client.response(0);
      expect([answer.status, answer.header('connection')]).toEqual([400, 'close']);
      await client.untilEnded();
      await cutUpstream(upstream);
      expect(gateway.logsWith('request completed')).toMatchObject([{ reason: 'bad_request', route: 'p' }]);
      expect(gateway.logsWith('upstream request failed')).toEqual([]);
    },
  );

  it('a malformed chunk behind an early answer ends the connection, and nothing more is said', async () => {
    const { gateway } = await early(BIG);
    const client = await gateway.connect({ allowHalfOpen: true });
    await client.write(`${post(CHUNKED)}5\r\nhello\r\n`);
    await client.response(0);
    await client.write(`zz\r\n${rawGet('/p/smuggled')}`);
    await client.untilEnded();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(client.responses).toHaveLength(1);
    expect(gateway.logsWith('request completed')).toHaveLength(1);
  });

  it.each([
    ['ends its half', (client: RawClient) => client.end()],
    ['closes', (client: RawClient) => client.destroy()],
    ['resets', (client: RawClient) => client.reset()],
  ])('a client that %s in the middle: the upstream’s request is cut, 499 in the log', async (_, leave) => {
    for (const [lines, start] of [
      [CHUNKED, '5\r\nhello\r\n'],
      ['Content-Length: 50\r\n', 'hello'],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other.
      const { upstream, gateway, client } = await uploading(lines, start);
      leave(client);
      // oxlint-disable-next-line no-await-in-loop
      await cutUpstream(upstream);
      // oxlint-disable-next-line no-await-in-loop
      await gateway.logged('request completed', { reason: 'client_closed', status: 499 });
      expect(gateway.logsWith('request completed')).toHaveLength(1);
      expect(gateway.logsWith('upstream request failed')).toEqual([]);
    }
  });

  it('one that stops sending: 408 and close after body_timeout', async () => {
    const document = { server: { body_timeout: '300ms' } };
    const { upstream, gateway, client } = await uploading('Content-Length: 50\r\n', 'hello', document);
    const answer = await client.response(0);
    expect([answer.status, answer.header('connection')]).toEqual([408, 'close']);
    await client.untilEnded();
    await cutUpstream(upstream);
    client.destroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(gateway.logsWith('request completed')).toMatchObject([{ reason: 'request_timeout' }]);
  });

  it('one that grows beyond max_body_size: 413, close, and the upstream’s request is cut', async () => {
    const { upstream, client } = await uploading(CHUNKED, '5\r\nhello\r\n', {}, { max_body_size: '100kb' });
    await client.write(`20000\r\n${'x'.repeat(0x20000)}\r\n`);
    const answer = await client.response(0);
    expect([answer.status, answer.header('connection')]).toEqual([413, 'close']);
    await cutUpstream(upstream);
    expect(upstream.requests[0]!.body.length).toBeLessThanOrEqual(100 * 1024);
  });
});

describe('Expect: 100-continue', () => {
  const EXPECT = 'Expect: 100-continue\r\nContent-Length: 5\r\n';

  it('gets its 100 once the body is wanted, then the answer, and the connection serves on', async () => {
    const { gateway, upstream } = await echoScene();
    await using client = await gateway.connect();
    await client.write(post(EXPECT));
    await client.until(() => client.text.includes('100 Continue\r\n\r\n'), 'the 100');
    await client.write('hello');
    const answer = await client.response(0);
    expect([answer.status, answer.interim.map(({ status }) => status)]).toEqual([200, [100]]);
    expect(echoedHeader(upstream.last!, 'expect')).toEqual([]);
    expect(upstream.last!.bodyBytes).toBe(5);
    await client.write(post(EXPECT) + 'world' + rawGet('/p'));
    expect((await client.response(2)).status).toBe(200);
    expect(upstream.requests.map(({ bodyBytes }) => bodyBytes)).toEqual([5, 5, 0]);
  });

  async function refused(gateway: TestGateway, bytes: string): Promise<[number, number, string | undefined]> {
    await using client = await gateway.connect();
    await client.write(bytes);
    const { status, interim, ...answer } = await client.response(0);
    await client.untilEnded();
    return [status, interim.length, new Map(answer.rawHeaders).get('Connection')];
  }

  it.each([
    ['an unknown route', EXPECT, '/nowhere', 404],
    ['a body that is too large', EXPECT.replace('5', '20000000'), '/p', 413],
    ['another expectation', EXPECT.replace('100-continue', '200-ok'), '/p', 417],
    ['one more expectation', `${EXPECT}Expect: x\r\n`, '/p', 417],
    ['a malformed target', EXPECT, '/p/../x', 400],
  ])(
    'gets none for %s: the client need not send, and the connection ends',
    async (_, lines, target, status) => {
      const { gateway, upstream } = await echoScene();
      expect(await refused(gateway, post(lines, target))).toEqual([status, 0, 'close']);
      expect(upstream.started).toBe(0);
    },
  );

  it('gets none where no backend can be reached', async () => {
    const gateway = await before({ backend: { url: `http://127.0.0.1:${await freePort()}` } });
    expect(await refused(gateway, post(EXPECT))).toEqual([502, 0, 'close']);
  });

  it('means nothing without a body, nor from HTTP/1.0', async () => {
    const { gateway } = await echoScene();
    const bodiless = await gateway.raw(rawGet('/p', 'Expect: 100-continue\r\n'));
    const old = await gateway.raw(`${post(EXPECT).replace('HTTP/1.1', 'HTTP/1.0')}hello`, { until: 'close' });
    for (const { responses } of [bodiless, old]) {
      expect([responses[0]!.status, responses[0]!.interim]).toEqual([200, []]);
    }
  });
});
