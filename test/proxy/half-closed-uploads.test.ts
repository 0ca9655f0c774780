import { describe, expect, it } from 'vitest';

import { rawUpstream } from '../support/index.js';
import { before } from '../cases/scene.js';

const SOCKETS = 20;

/** A backend that answers 503 once it has seen a head, whatever still comes. */
async function early() {
  const upstream = await rawUpstream(async (connection) => {
    await connection.until(() => connection.requests[0], 'a head');
    await connection.write('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy');
  });
  return before(upstream, { max_body_size: '60kb' }, { server: { body_timeout: '60s' } });
}

describe('a client that ends its half in the middle of an upload which was answered already', () => {
  it.each([
    ['of a backend that answers early', '/p', 503, 'Content-Length: 50000\r\n', 'x'.repeat(20_000)],
    ['of a backend, in chunks', '/p', 503, 'Transfer-Encoding: chunked\r\n', '5\r\nhello\r\n'],
    ['to no route', '/nowhere', 404, 'Content-Length: 50000\r\n', 'x'],
    ['that is too large', '/p', 413, 'Content-Length: 61445\r\n', 'x'],
    ['to an endpoint of the gateway', '/health', 405, 'Content-Length: 50000\r\n', 'x'],
  ])('loses its socket at once, not after body_timeout: %s', async (_, target, status, lines, start) => {
    const gateway = await early();
    const clients = await Promise.all(
      Array.from({ length: SOCKETS }, () => gateway.connect({ allowHalfOpen: true })),
    );
    await Promise.all(
      clients.map(async (client) => {
        await client.write(`POST ${target} HTTP/1.1\r\nHost: h\r\n${lines}\r\n${start}`);
        expect((await client.response(0)).status).toBe(status);
        client.end();
        await client.untilClosed();
        expect([client.error, client.responses.length]).toEqual([null, 1]);
      }),
    );
  });

  it('gets the whole answer when its end comes together with the start of the upload', async () => {
    const gateway = await early();
    const client = await gateway.connect({ allowHalfOpen: true });
    void client.write('POST /nowhere HTTP/1.1\r\nHost: h\r\nContent-Length: 50000\r\n\r\nx');
    client.end();
    await client.untilClosed();
    expect(client.responses.map(({ status, complete }) => [status, complete])).toEqual([[404, true]]);
  });
});
