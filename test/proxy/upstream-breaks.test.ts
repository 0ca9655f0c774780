import { describe, expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import { type RawConnection, rawUpstream, startTestGateway } from '../support/index.js';

type Break = (connection: RawConnection) => unknown;

const WITH_LENGTH = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nhello';
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n';
const UNTIL_CLOSE = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nhello';

const reset: Break = (connection) => connection.reset();
const end: Break = (connection) => connection.end();

/** An upstream that sends this much of an answer and then breaks, and a gateway in front of it. */
async function breaking(sent: string, how: Break) {
  const upstream = await rawUpstream(async (connection) => {
    await connection.request();
    if (sent !== '') await connection.write(sent);
    // The bytes must have been read before the reset, which would discard them.
    await new Promise((resolve) => setTimeout(resolve, 60));
    how(connection);
  });
  const gateway = await startTestGateway({ routes: [{ path: '/', backends: [upstream.backend] }] });
  return { upstream, gateway };
}

describe('an upstream that breaks off before the head is whole', () => {
  it.each([
    ['before the first byte', ''],
    ['in the status line', 'HTTP/1.1 2'],
    ['in the headers', 'HTTP/1.1 200 OK\r\nContent-Le'],
    ['before the blank line', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n'],
    ['after an interim answer', 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n'],
  ])('%s: 502 in either way, one line, nothing left over', async (_, sent) => {
    for (const how of [reset, end]) {
      const { gateway } = await breaking(sent, how);
      const { responses } = await gateway.raw('GET /a HTTP/1.1\r\nHost: h\r\n\r\n');
      expect(responses[0]!.status).toBe(502);
      expect(responses[0]!.json()).toMatchObject({ code: 'upstream_unavailable' });
      await gateway.logged('upstream request failed', { reason: 'upstream_unavailable', attempt: 1 });
      await gateway.logged('request completed', { status: 502, reason: 'upstream_unavailable' });
      await untilAtRest(gateway);
      expect(gateway.logsWith('request completed')).toHaveLength(1);
    }
  });
});

describe('an upstream that breaks off in the body', () => {
  it.each([
    ['length-delimited, after the head', WITH_LENGTH.slice(0, -5), reset],
    ['length-delimited, reset', WITH_LENGTH, reset],
    ['length-delimited, ended', WITH_LENGTH, end],
    [
      'length-delimited with Connection: close, reset',
      WITH_LENGTH.replace('Content-T', 'Connection: close\r\nContent-T'),
      reset,
    ],
    [
      'length-delimited with Connection: close, ended',
      WITH_LENGTH.replace('Content-T', 'Connection: close\r\nContent-T'),
      end,
    ],
    ['chunked, in a chunk', CHUNKED.slice(0, -4), reset],
    ['chunked, between chunks, reset', CHUNKED, reset],
    ['chunked, between chunks, ended', CHUNKED, end],
    ['chunked with Connection: close, ended', CHUNKED.replace('Tr', 'Connection: close\r\nTr'), end],
    ['chunked, before the last line', `${CHUNKED}0\r\n`, end],
    ['delimited by the close, reset', UNTIL_CLOSE, reset],
    ['delimited by the close of HTTP/1.0, reset', UNTIL_CLOSE.replace('1.1', '1.0'), reset],
  ] as const)('%s: the transfer is cut and never ends cleanly', async (_, sent, how) => {
    for (const version of ['1.1', '1.0']) {
      const { gateway } = await breaking(sent, how);
      const client = await gateway.connect();
      await client.write(`GET /a HTTP/${version}\r\nHost: h\r\n\r\n`);
      await client.untilClosed();
      const [response] = client.responses;
      expect(response!.status).toBe(200);
      const whole = response!.complete && client.error === null;
      expect(whole, `${version}: ${JSON.stringify(client.text)}`).toBe(false);
      await gateway.logged('upstream request failed', { reason: 'upstream_aborted' });
      await gateway.logged('request completed', { status: 200, reason: 'upstream_aborted' });
      await untilAtRest(gateway);
      expect(gateway.logsWith('request completed')).toHaveLength(1);
      expect(gateway.logsWith('upstream request failed')).toHaveLength(1);
    }
  });

  it('delimited by the close, ended: that is its whole body', async () => {
    const { gateway } = await breaking(UNTIL_CLOSE, end);
    const { responses } = await gateway.raw('GET /a HTTP/1.1\r\nHost: h\r\n\r\n');
    expect(responses[0]).toMatchObject({ status: 200, text: 'hello', complete: true });
    await gateway.logged('request completed', { status: 200, reason: null });
  });

  it('delimited by the close, ended, to a client of HTTP/1.0: ended in the same way', async () => {
    const { gateway } = await breaking(UNTIL_CLOSE, end);
    const { responses, closed } = await gateway.raw('GET /a HTTP/1.0\r\n\r\n', { until: 'close' });
    expect(responses[0]).toMatchObject({ status: 200, text: 'hello', complete: true });
    expect(closed).toBe(true);
    await gateway.logged('request completed', { status: 200, reason: null });
  });
});
