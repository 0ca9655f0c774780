import { Readable } from 'node:stream';

import { describe, expect, it } from 'vitest';

import { blackHole } from '../../../test/support/black-hole.js';
import { type RawConnection, waitFor } from '../../../test/support/index.js';
import { tlsUpstream } from '../../../test/support/tls.js';
import { UpstreamTlsConfig } from '../../config/upstream.config.js';
import { backend, type Callback, Heard, poolTo, requestOf, rest } from './http1.fixture.js';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const WHOLE = ['started', 'began', 'head', 'data', 'end'];

/** A body whose pieces come when the test says so. */
function body(...pieces: string[]): Readable {
  const stream = new Readable({ read() {} });
  for (const piece of pieces) stream.push(piece);
  return stream;
}

async function serving(connection: RawConnection, reply = OK): Promise<void> {
  for (let index = 0; ; index++) {
    await connection.request(index);
    await connection.write(reply);
  }
}

describe('a request', () => {
  it('and its answer, and another one on the same connection', async () => {
    const { send, upstream } = await backend([OK, OK]);
    const first = await send({ path: '/a?b' }).untilOver();
    const second = await send({ host: 'h:1' }).untilOver();
    for (const heard of [first, second]) expect([heard.events, heard.body]).toEqual([WHOLE, 'ok']);
    expect([first.reused, second.reused, upstream.connections.length]).toEqual([false, true, 1]);
    const { host } = new URL(upstream.url);
    expect(upstream.connections[0]!.text).toBe(
      `GET /a?b HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n\r\nGET / HTTP/1.1\r\nhost: h:1\r\nconnection: keep-alive\r\n\r\n`,
    );
  });

  it.each([
    ['method', { method: 'GET /x HTTP/1.1\r\nA:' }],
    ['method', { method: '' }],
    ['target', { path: '/ x' }],
    ['target', { path: '/\r\nA: b' }],
    ['target', { path: '' }],
    ['target', { path: '/\u0100' }],
    ['Host', { host: 'a b' }],
    ['Host', { host: 'a\r\nb' }],
    ['Host', { host: '' }],
  ])('with an invalid %s is not sent: %j', async (part, changes) => {
    const { send, upstream, untilAllClosed } = await backend([OK]);
    const { events, error } = await send(changes).untilOver();
    expect([events, error!.code, error!.message]).toEqual([
      ['failed'],
      'INVALID_REQUEST',
      `invalid ${part} of a request`,
    ]);
    await untilAllClosed();
    expect(upstream.connections.map(({ text }) => text).join('')).toBe('');
  });

  it.each<[string, string, string, Partial<Parameters<typeof requestOf>[0]>]>([
    ['a buffer', 'POST', 'content-length: 3\r\n\r\nabc', { body: Buffer.from('abc') }],
    ['an empty buffer', 'POST', 'content-length: 0\r\n\r\n', { body: Buffer.alloc(0) }],
    ['none', 'PUT', 'content-length: 0\r\n\r\n', {}],
    ['none', 'DELETE', '\r\n', {}],
  ])('with a body: %s, %s', async (_, method, expected, changes) => {
    const { send, upstream } = await backend([OK]);
    await send({ method, ...changes }).untilOver();
    expect(upstream.connections[0]!.text).toContain(`connection: keep-alive\r\n${expected}`);
  });

  it.each([
    ['HEAD', null],
    ['GET', Buffer.from('x')],
    ['DELETE', Buffer.from('x')],
  ])('after which no other is sent on its connection: %s %s', async (method, bytes) => {
    const { send, upstream } = await backend(['HTTP/1.1 204 A\r\n\r\n', OK]);
    await send({ method, body: bytes }).untilOver();
    expect(upstream.connections[0]!.text).toContain('connection: close');
    expect((await send().untilOver()).reused).toBe(false);
  });
});

describe('an upload', () => {
  it.each([
    ['with its length', 6, ['abc', 'def'], 'content-length: 6\r\n\r\nabcdef'],
    ['with a length of nothing', 0, [], 'content-length: 0\r\n\r\n'],
    [
      'in chunks',
      -1,
      ['abc', 'defghijklmnop'],
      'transfer-encoding: chunked\r\n\r\n3\r\nabc\r\nd\r\ndefghijklmnop\r\n0\r\n\r\n',
    ],
    ['of unknown length, empty', -1, [], 'content-length: 0\r\n\r\n'],
  ])('%s', async (_, contentLength, pieces, expected) => {
    const { send, upstream } = await backend([OK, OK]);
    const stream = body(...pieces);
    stream.push(null);
    expect((await send({ method: 'POST', contentLength, body: stream }).untilOver()).events).toEqual(WHOLE);
    expect(upstream.connections[0]!.text).toContain(`connection: keep-alive\r\n${expected}`);
    expect((await send().untilOver()).reused).toBe(true);
  });

  it.each<[string, number, string, (stream: Readable) => void]>([
    ['too short', 4, 'request body: too short', (stream) => stream.push(null)],
    ['too long', 2, 'request body: too long', () => {}],
    ['failing', 9, 'of its own', (stream) => stream.destroy(new Error('of its own'))],
    ['failing, in chunks', -1, 'of its own', (stream) => stream.destroy(new Error('of its own'))],
    ['destroyed', -1, 'request body: cut off', (stream) => stream.destroy()],
  ])('%s: fails, and never looks whole', async (_, contentLength, message, ending) => {
    const { send, upstream, untilAllClosed } = await backend(() => {});
    const stream = body('abc');
    const heard = send({ method: 'POST', contentLength, body: stream });
    await waitFor(() => heard.events.includes('started'), 'started');
    await rest();
    ending(stream);
    await heard.untilOver();
    expect([heard.events, heard.error!.message]).toEqual([['started', 'failed'], message]);
    await untilAllClosed();
    expect(upstream.requests.filter(({ complete }) => complete)).toEqual([]);
    expect(stream.destroyed).toBe(true);
    expect(stream.eventNames().filter((name) => name !== 'error')).toEqual([]);
  });

  it('of a body that was destroyed before fails', async () => {
    const { send } = await backend([OK]);
    const gone = body();
    gone.on('error', () => {}).destroy(new Error('before'));
    await rest();
    expect((await send({ method: 'POST', body: gone }).untilOver()).error!.message).toBe('before');
  });

  it('waits for a backend that does not read', async () => {
    const { send, upstream } = await backend((connection) => connection.pause());
    let read = 0;
    const endless = new Readable({
      read() {
        read += 64 * 1024;
        this.push(Buffer.alloc(64 * 1024));
      },
    });
    const heard = send({ method: 'POST', contentLength: 1e12, body: endless });
    await waitFor(() => endless.isPaused(), 'a body that pauses');
    await rest();
    const before = read;
    await rest();
    expect(read).toBe(before);
    expect(read).toBeLessThan(64 * 1024 * 1024);
    upstream.connections[0]!.keep = false;
    upstream.connections[0]!.resume();
    await waitFor(() => read > 4 * before, 'more of it');
    heard.connection!.abort(new Error('enough'));
    expect(heard.events).toEqual(['started', 'failed']);
    expect(endless.destroyed).toBe(true);
  });

  it.each([
    ['a stream', 'POST', () => body('abc')],
    ['a buffer that was not sent whole', 'POST', () => Buffer.alloc(64 * 1024 * 1024)],
  ])('answered before its end: the connection ends with the answer: %s', async (_, method, make) => {
    const { send, upstream, untilAllClosed } = await backend(async (connection) => {
      await connection.head();
      connection.pause();
      await connection.write(OK);
      await connection.until(() => connection.error ?? connection.closed, 'the end').catch(() => {});
      connection.resume();
    });
    const heard = await send({ method, body: make() }).untilOver();
    expect([heard.events, heard.body]).toEqual([WHOLE, 'ok']);
    upstream.connections[0]!.keep = false;
    upstream.connections[0]!.resume();
    await untilAllClosed();
    expect(heard.events).toEqual(WHOLE);
  });
});

describe('a download', () => {
  it('of 50 MB does not run ahead of whoever reads it slowly', async () => {
    const size = 50 * 1024 * 1024;
    const { send, upstream } = await backend(async (connection) => {
      await connection.request();
      void connection.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
      for (let sent = 0; sent < size; sent += 1024 * 1024) await connection.write(Buffer.alloc(1024 * 1024));
    });
    const heard = send({}, (event, { connection }) => {
      if (event === 'data') connection!.pause();
    });
    heard.keep = false;
    await waitFor(() => heard.bytes > 0, 'a piece');
    await rest();
    const first = heard.bytes;
    await rest();
    expect(heard.bytes).toBe(first);
    expect(
      upstream.connections[0]!.socket.writableLength + upstream.connections[0]!.socket.bytesWritten,
    ).toBeLessThan(size);
    let most = 0;
    for (let before = 0; !heard.over; before = heard.bytes) {
      most = Math.max(most, heard.bytes - before);
      heard.connection!.resume();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([heard.bytes, heard.events]).toEqual([size, WHOLE]);
    expect(most).toBeLessThan(2 * 1024 * 1024);
  });

  it.each(['started', 'began', 'head', 'data'] as const)('pauses in %s and goes on', async (where) => {
    const { send } = await backend([`${CHUNKED}1\r\na\r\n1\r\nb\r\n0\r\nA: b\r\n\r\n`, OK]);
    const heard = send({}, (event, { connection }) => {
      if (event === where) connection!.pause();
    });
    while (!heard.over) {
      heard.connection?.resume();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([heard.events, heard.body, heard.trailers]).toEqual([WHOLE, 'ab', ['A', 'b']]);
    expect((await send().untilOver()).reused).toBe(true);
  });

  it('without a length ends with FIN, and fails with RST', async () => {
    const start = 'HTTP/1.1 200 OK\r\n\r\nsome';
    for (const [how, events] of [
      ['end', WHOLE],
      ['reset', [...WHOLE.slice(0, -1), 'failed']],
    ] as const) {
      const { send, upstream, untilAllClosed } = await backend(async (connection) => {
        await connection.request();
        await connection.write(start);
      });
      const heard = send();
      await waitFor(() => heard.body === 'some', 'the body');
      upstream.connections[0]![how]();
      expect((await heard.untilOver()).events).toEqual(events);
      await untilAllClosed();
    }
  });

  it('all of it came before FIN, though the reader paused', async () => {
    const { send } = await backend(async (connection) => {
      await connection.request();
      await connection.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(300_000)}`);
      connection.end();
    });
    const heard = send({}, (event, { connection }) => {
      if (event === 'data') connection!.pause();
    });
    while (!heard.over) {
      heard.connection?.resume();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([heard.bytes, heard.events]).toEqual([300_000, WHOLE]);
  });

  it.each([
    ['in front of the head', ''],
    ['in the head', 'HTTP/1.1 200 OK\r\nA'],
    ['in the body', OK.slice(0, -1)],
    ['in a chunk', `${CHUNKED}2\r\no`],
    ['in front of the last chunk', `${CHUNKED}2\r\nok\r\n`],
    ['in trailers', `${CHUNKED}0\r\nA: b\r\n`],
  ])('that ends %s fails', async (_, reply) => {
    const { send, untilAllClosed } = await backend(async (connection) => {
      await connection.request();
      await connection.write(reply);
      connection.end();
    });
    const heard = await send().untilOver();
    expect([heard.events.at(-1), heard.error!.code]).toEqual(['failed', 'CONNECTION_ENDED']);
    await untilAllClosed();
  });

  it.each([
    ['HEAD', `HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n`],
    ['GET', 'HTTP/1.1 204 A\r\nContent-Length: 2\r\n\r\n'],
    ['GET', 'HTTP/1.1 304 A\r\nContent-Length: 2\r\n\r\n'],
    ['GET', 'HTTP/1.1 204 A\r\n\r\n'],
  ])('without a body that has one after all is not read into the next: %s %j', async (method, head) => {
    const { send, upstream } = await backend(async (connection) => {
      await connection.request();
      if (connection.index > 0) return serving(connection);
      await connection.write(`${head}no`);
    });
    const first = await send({ method }).untilOver();
    expect([first.events, first.body]).toEqual([['started', 'began', 'head', 'end'], '']);
    expect((await send().untilOver()).body).toBe('ok');
    expect(upstream.connections).toHaveLength(2);
  });

  it('behind a flood of interim responses', async () => {
    const { send } = await backend([`${'HTTP/1.1 103 A\r\n\r\n'.repeat(10_000)}HTTP/1.1 100 \r\n\r\n${OK}`]);
    const heard = await send().untilOver();
    expect([heard.heads.length, heard.status, heard.body]).toEqual([10_001, 200, 'ok']);
  });
});

describe('a request that is given up', () => {
  const phases: [string, string, Partial<Parameters<typeof requestOf>[0]>, (heard: Heard) => unknown][] = [
    ['before an answer', '', {}, (heard) => heard.events.includes('started')],
    ['after the head', 'HTTP/1.1 200 OK\r\n\r\n', {}, (heard) => heard.events.includes('head')],
    ['in the body', OK.slice(0, -1), {}, (heard) => heard.events.includes('data')],
    ['in an upload', '', { method: 'POST', body: body('abc') }, (heard) => heard.events.includes('started')],
  ];

  it.each(phases)('%s', async (_, reply, request, reached) => {
    const { send, pool, untilAllClosed, upstream } = await backend(async (connection) => {
      await connection.head();
      await connection.write(reply);
    });
    const heard = send(request);
    await waitFor(() => reached(heard) && upstream.requests.length > 0, 'there');
    const { connection } = heard;
    connection!.abort(new Error('given up'));
    expect([heard.events.at(-1), heard.error!.message]).toEqual(['failed', 'given up']);
    const events = [...heard.events];
    connection!.abort(new Error('again'));
    await untilAllClosed();
    await rest();
    expect(heard.events).toEqual(events);
    pool.close();
  });

  it('while it is dialled', async () => {
    const pool = poolTo(`http://127.0.0.1:${await blackHole()}`);
    const heard = new Heard();
    pool.dispatch(requestOf(), heard);
    heard.connection!.abort(new Error('given up'));
    await rest();
    expect(heard.events).toEqual(['failed']);
  });

  it('while it waits for the poll: the connection ends, and nothing of it was sent', async () => {
    const { send, upstream, untilAllClosed } = await backend([OK]);
    await send().untilOver();
    const heard = send({ path: '/second' });
    heard.connection!.abort(new Error('given up'));
    await untilAllClosed();
    expect(heard.events).toEqual(['failed']);
    expect(upstream.connections.map(({ text }) => text).join('')).not.toContain('second');
  });

  it.each<Callback>(['started', 'began', 'head', 'data'])('in its own callback: %s', async (where) => {
    for (const request of [{}, { method: 'POST', body: body('abc') }]) {
      const { send, untilAllClosed } = await backend(async (connection) => {
        await connection.head();
        await connection.write(`${CHUNKED}1\r\na\r\n1\r\nb\r\n0\r\n\r\n`);
      });
      const heard = send(request, (event, { connection }) => {
        if (event === where) connection!.abort(new Error('given up'));
      });
      await heard.untilOver();
      await untilAllClosed();
      await rest();
      expect(heard.events).toEqual([...WHOLE.slice(0, WHOLE.indexOf(where) + 1), 'failed']);
    }
  });

  it('by a body that tells of its own end', async () => {
    for (const reply of [OK, '']) {
      const { send, untilAllClosed } = await backend(async (connection) => {
        await connection.head();
        await connection.write(reply);
      });
      let heard: Heard | null = null;
      const stream = new Readable({
        read() {},
        destroy(error, done) {
          heard!.connection?.abort(new Error('again'));
          done(error);
        },
      });
      stream.push('abc');
      heard = send({ method: 'POST', body: stream });
      if (reply === '') {
        await waitFor(() => heard?.events.includes('started'), 'started');
        heard.connection!.abort(new Error('given up'));
      }
      await heard.untilOver();
      await untilAllClosed();
      await rest();
      expect(heard.events).toEqual(reply === '' ? ['started', 'failed'] : WHOLE);
    }
  });
});

describe('an idle connection', () => {
  const ends: [string, (connection: RawConnection) => unknown][] = [
    ['bytes', (connection) => connection.write(OK)],
    ['FIN', (connection) => connection.end()],
    ['RST', (connection) => connection.reset()],
  ];

  it.each(ends)('is not used again after %s', async (_, what) => {
    const { send, upstream } = await backend((connection) => serving(connection));
    await send().untilOver();
    what(upstream.connections[0]!);
    await upstream.connections[0]!.untilClosed();
    expect((await send().untilOver()).reused).toBe(false);
    expect(upstream.connections).toHaveLength(2);
  });

  it.each(ends)(
    '%s just before the next request is written: that one goes to a new connection, once',
    async (_, what) => {
      for (const method of ['GET', 'POST']) {
        const { send, upstream } = await backend((connection) => serving(connection));
        await send({ path: '/first' }).untilOver();
        what(upstream.connections[0]!);
        // Its bytes are on their way, and the loop has not read them yet.
        const heard = send({ path: '/second', method });
        await heard.untilOver();
        expect([heard.events, heard.reused, heard.body]).toEqual([WHOLE, false, 'ok']);
        expect(upstream.requests.map(({ target }) => target)).toEqual(['/first', '/second']);
        expect(upstream.connections).toHaveLength(2);
      }
    },
  );

  it.each(ends)(
    '%s while the next request waits for its body: the same, with the whole body',
    async (_, what) => {
      for (const pieces of [['abc'], []]) {
        const { send, upstream } = await backend((connection) => serving(connection));
        await send({ path: '/first' }).untilOver();
        const stream = body();
        const heard = send({ path: '/second', method: 'POST', body: stream });
        await rest();
        what(upstream.connections[0]!);
        await upstream.connections[0]!.untilClosed();
        await rest();
        for (const piece of pieces) stream.push(piece);
        stream.push(null);
        await heard.untilOver();
        expect([heard.events, heard.body]).toEqual([WHOLE, 'ok']);
        expect(upstream.requests.map(({ target }) => target)).toEqual(['/first', '/second']);
        expect(upstream.requests[1]!.body.toString()).toBe(pieces.join(''));
        expect((await send().untilOver()).reused).toBe(true);
      }
    },
  );

  it('lost, and the backend gone: the waiting request fails', async () => {
    const { send, upstream } = await backend((connection) => serving(connection));
    await send().untilOver();
    const stopped = upstream.stop();
    const heard = await send().untilOver();
    await stopped;
    expect([heard.events.at(-1), heard.error!.code]).toEqual(['failed', 'ECONNREFUSED']);
  });
});

describe('TLS', () => {
  const tls = Object.assign(new UpstreamTlsConfig(), { insecure: true });

  it('downloads, uploads and reuses', async () => {
    const upstream = await tlsUpstream('localhost.crt', 'localhost.key', {
      respond: (request, response) => request.pipe(response),
    });
    const pool = poolTo(`https://127.0.0.1:${upstream.port}`, { tls });
    const large = Buffer.alloc(5 * 1024 * 1024, 'x');
    for (const [index, content] of [Buffer.from('a'), large, Readable.from([large, large]), null].entries()) {
      const heard = new Heard();
      heard.keep = false;
      pool.dispatch(requestOf({ method: 'POST', body: content }), heard);
      await heard.untilOver();
      expect([heard.status, heard.bytes]).toEqual([200, [1, large.length, 2 * large.length, 0][index]]);
      expect(heard.reused).toBe(index > 0);
    }
    expect(upstream.handshakes).toBe(1);
    pool.close();
    await waitFor(
      () => new Promise((resolve) => upstream.server.getConnections((_, count) => resolve(count === 0))),
      'no socket',
    );
  });

  it('whose certificate is not trusted: fails before anything is sent', async () => {
    const upstream = await tlsUpstream('other.crt', 'localhost.key').catch(() =>
      tlsUpstream('localhost.crt', 'localhost.key'),
    );
    const heard = new Heard();
    poolTo(`https://127.0.0.1:${upstream.port}`).dispatch(requestOf(), heard);
    expect((await heard.untilOver()).events).toEqual(['failed']);
    expect(upstream.requests).toEqual([]);
  });
});
