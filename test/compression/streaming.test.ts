import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { constants, gunzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import { echoUpstream, rawUpstream, startTestGateway, waitFor } from '../support/index.js';

const GET = 'GET / HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\n\r\n';
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

async function setUp() {
  const upstream = await rawUpstream(async (connection) => {
    await connection.request();
    await connection.write(HEAD);
  });
  const gateway = await startTestGateway({
    compression: {},
    routes: [{ path: '/', backends: [upstream.backend] }],
  });
  const client = await gateway.connect();
  await client.write(GET);
  const connection = await waitFor(() => upstream.connections[0], 'a connection');
  await connection.request();
  return { upstream, gateway, client, connection };
}

/** What a client has got so far of a body in gzip, decoded. */
function decoded(body: Buffer | undefined): string {
  if (body === undefined || body.length < 10) return '';
  return gunzipSync(body, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
}

describe('a compressed body that comes slowly', () => {
  it('reaches the client piece by piece', async () => {
    const { gateway, client, connection } = await setUp();
    await client.until(() => client.responses.length > 0, 'the head, before any of the body');
    expect(client.responses[0]!.header('content-encoding')).toBe('gzip');
    let sent = '';
    for (const piece of ['one', 'two', 'x'.repeat(5_000), 'three']) {
      sent += piece;
      await connection.write(chunk(piece));
      await client.until(() => decoded(client.responses[0]?.body) === sent, piece.slice(0, 5));
    }
    await connection.write('0\r\n\r\n');
    expect(gunzipSync((await client.response()).body).toString()).toBe(sent);
    await untilAtRest(gateway);
  });

  it('is cut, never ended, when the upstream breaks', async () => {
    const { gateway, client, connection } = await setUp();
    await connection.write(chunk('y'.repeat(5_000)));
    await client.until(() => decoded(client.responses[0]?.body).length === 5_000, 'the first part');
    connection.reset();
    await client.untilClosed();
    expect(client.responses[0]!.complete).toBe(false);
    await gateway.logged('request completed', { reason: 'upstream_aborted', status: 200 });
    await untilAtRest(gateway);
  });

  it('ends at the upstream when the client leaves', async () => {
    const { gateway, client, connection } = await setUp();
    await connection.write(chunk('z'.repeat(5_000)));
    await client.until(() => client.responses.length > 0, 'the head');
    client.destroy();
    await waitFor(() => connection.ended, 'the upstream’s connection to close');
    const line = await gateway.logged('request completed', { reason: 'client_closed' });
    expect(line['status']).toBe(200);
    await untilAtRest(gateway);
  });
});

describe('a large compressed body', () => {
  it('waits at the upstream while the client does not read, and comes whole when it does', async () => {
    const total = 48 * 1024 * 1024;
    const piece = randomBytes(64 * 1024);
    let written = 0;
    const upstream = await echoUpstream({
      respond: async (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/plain' });
        for (; written < total; written += piece.length)
          // oxlint-disable-next-line no-await-in-loop -- as fast as the gateway takes it.
          if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
        response.end();
      },
    });
    const gateway = await startTestGateway({
      compression: {},
      routes: [{ path: '/', backends: [upstream.backend] }],
    });
    const [answer] = (await once(
      get(gateway.url, { headers: { 'accept-encoding': 'gzip' } }),
      'response',
    )) as [IncomingMessage];
    let before = -1;
    const still = (): boolean => {
      const stands = written > 0 && written === before;
      before = written;
      return stands;
    };
    await waitFor(still, 'the upstream to stand still', { timeoutMs: 15_000, intervalMs: 300 });
    expect(written).toBeLessThan(total / 2);
    const body = gunzipSync(await buffer(answer));
    expect([body.length, body.subarray(-piece.length).equals(piece)]).toEqual([total, true]);
  }, 60_000);
});

describe('many answers at once', () => {
  it('are all whole, with neighbours that break and leave', async () => {
    const text = 'all work and no play '.repeat(5_000);
    let answers = 0;
    const upstream = await echoUpstream({
      respond: (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/plain' }).write(text);
        if (++answers % 4 === 0) response.socket!.resetAndDestroy();
        else response.end();
      },
    });
    const gateway = await startTestGateway({
      compression: {},
      routes: [{ path: '/', backends: [upstream.backend] }],
    });
    const results = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const client = await gateway.connect();
        await client.write(GET);
        if (index % 5 === 0) return void client.destroy();
        await client.until(() => client.ended || client.responses[0]?.complete, 'an end', {
          timeoutMs: 15_000,
        });
        const [response] = client.responses;
        // A reset that overtakes the head is a 502, one that follows it a cut.
        if (response?.status !== 200 || !response.complete) return false;
        expect(gunzipSync(response.body).toString()).toBe(text);
        return true;
      }),
    );
    expect(results.filter((whole) => whole === true).length).toBeGreaterThan(20);
    await untilAtRest(gateway);
  });
});
