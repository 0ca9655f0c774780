import { describe, expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import { rawUpstream, startTestGateway } from '../support/index.js';

async function answering(...replies: (string | Buffer)[]) {
  const upstream = await rawUpstream(replies);
  const gateway = await startTestGateway({
    routes: [{ path: '/', timeout: '2s', backends: [upstream.backend] }],
  });
  return { upstream, gateway };
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const field = (bytes: number): string => `X-Large: ${'x'.repeat(bytes)}\r\n`;

describe('an answer that is not HTTP becomes 502', () => {
  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n'],
    ['noise', Buffer.from(Array.from({ length: 512 }, (_, index) => (index * 37) % 256))],
    ['TLS', Buffer.from('15030100020246', 'hex')],
    ['no version', '200 OK\r\n\r\n'],
    ['an unknown version', 'HTTP/3.7 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n'],
    ['a status of letters', 'HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n'],
    ['a header without a colon', 'HTTP/1.1 200 OK\r\nNonsense\r\n\r\n'],
    ['a space in a header name', 'HTTP/1.1 200 OK\r\nX Y: z\r\nContent-Length: 0\r\n\r\n'],
    ['a control character in a value', 'HTTP/1.1 200 OK\r\nX-A: a\x00b\r\nContent-Length: 0\r\n\r\n'],
    ['two different lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc'],
    ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc'],
    ['a length that is no number', 'HTTP/1.1 200 OK\r\nContent-Length: 2x\r\n\r\nabc'],
    [
      'length and chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'a switch of protocols that nobody asked for',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    ],
  ])('%s', async (_, reply) => {
    const { gateway } = await answering(reply);
    const { responses } = await gateway.raw('GET /a HTTP/1.1\r\nHost: h\r\n\r\n');
    expect(responses[0]!.status).toBe(502);
    expect(responses[0]!.json()).toMatchObject({ code: 'upstream_unavailable' });
    expect(responses[0]!.text).not.toContain('127.0.0.1');
    await gateway.logged('request completed', { status: 502 });
    await untilAtRest(gateway);
    expect(gateway.logsWith('upstream request failed')).toHaveLength(1);
  });

  it('a head of more than 64 KB, and one just below passes', async () => {
    const large = await answering(`HTTP/1.1 200 OK\r\n${field(66_000)}\r\n`);
    expect((await large.gateway.get('/a')).status).toBe(502);
    await large.gateway.logged('upstream request failed', { reason: 'upstream_unavailable' });
    await untilAtRest(large.gateway);
    const many = await answering(`HTTP/1.1 200 OK\r\n${field(1_000).repeat(70)}`);
    expect((await many.gateway.get('/a')).status).toBe(502);
    const fits = await answering(`HTTP/1.1 200 OK\r\nContent-Length: 0\r\n${field(1_000).repeat(12)}\r\n`);
    const response = await fits.gateway.get('/a');
    expect([response.status, response.headerAll('x-large').length]).toEqual([200, 12]);
  });
});

describe('a body that is not what the head said', () => {
  it.each([
    [
      'a chunk size that is no number',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n',
    ],
    [
      'a chunk longer than it said',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello!!!!\r\n',
    ],
  ])('%s: the transfer is cut', async (_, reply) => {
    const { gateway } = await answering(reply);
    const client = await gateway.connect();
    await client.write('GET /a HTTP/1.1\r\nHost: h\r\n\r\n');
    await client.untilClosed();
    expect(client.responses.filter((response) => response.complete)).toEqual([]);
    await gateway.logged('request completed', { reason: 'upstream_aborted' });
    await untilAtRest(gateway);
  });

  it.each([
    ['bytes after the end', `${OK}garbage`],
    ['a whole second answer', `${OK}HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison`],
    ['a body that follows an answer without one', 'HTTP/1.1 204 No Content\r\n\r\npoison'],
    [
      'a second answer after one without a body',
      `HTTP/1.1 304 Not Modified\r\n\r\n${OK.replace('ok', 'no')}`,
    ],
  ])('%s never reach the next request', async (_, first) => {
    const upstream = await rawUpstream(async (connection) => {
      await connection.request();
      await connection.write(connection.index === 0 ? first : OK.replace('ok', 'me'));
    });
    const gateway = await startTestGateway({
      upstreams: { one: { backends: [upstream.backend], connection: { max_connections: 1 } } },
      routes: [{ path: '/', timeout: '2s', upstream: 'one' }],
    });
    const [, second] = await Promise.all([gateway.get('/first'), gateway.get('/second')]);
    expect([second.status, second.text]).toEqual([200, 'me']);
    const third = await gateway.get('/third');
    expect(third.text).not.toContain('poison');
    await untilAtRest(gateway);
  });

  it('a body in answer to HEAD never reaches the client nor the next request', async () => {
    const upstream = await rawUpstream(async (connection) => {
      await connection.request();
      await connection.write(connection.index === 0 ? OK : OK.replace('ok', 'me'));
    });
    const gateway = await startTestGateway({ routes: [{ path: '/', backends: [upstream.backend] }] });
    const { text } = await gateway.raw('HEAD /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n', {
      until: 'close',
    });
    expect(text.split('\r\n\r\n')).toEqual([expect.stringContaining('200 OK'), '']);
    expect((await gateway.get('/b')).text).toBe('me');
  });
});

it('goes on after all of it', async () => {
  const { gateway } = await answering('garbage\r\n\r\n', OK);
  expect((await gateway.get('/a')).status).toBe(502);
  expect((await gateway.get('/a')).text).toBe('ok');
});
