import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';

import {
  type CliProcess,
  closeAtEnd,
  connectRaw,
  freePort,
  get,
  listen,
  startTestGateway,
  waitFor,
} from '../support/index.js';
import { spawnCli } from '../support/cli.js';

const GET = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`;

/** Answers /slow after a while, /sse with one event and then silence, anything else at once. */
async function backend(slowMs: number): Promise<string> {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/sse') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    } else if (request.url === '/slow') setTimeout(() => response.end('slow'), slowMs);
    else response.end('ok');
  });
  const sockets = new WebSocketServer({ server });
  const port = await listen(server);
  closeAtEnd(() => {
    sockets.close();
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${port}`;
}

interface Serving {
  readonly gateway: CliProcess;
  readonly port: number;
  readonly url: string;
}

async function serve(shutdown: object, slowMs: number): Promise<Serving> {
  const folder = mkdtempSync(join(tmpdir(), 'nexus-stop-'));
  closeAtEnd(() => rmSync(folder, { recursive: true }));
  const [port, url] = [await freePort(), await backend(slowMs)];
  const file = join(folder, 'gateway.json');
  const server = { host: '127.0.0.1', port, shutdown };
  writeFileSync(
    file,
    JSON.stringify({ server, admin: { enabled: false }, routes: [{ path: '/', backends: [{ url }] }] }),
  );
  const gateway = await spawnCli(['serve', '--config', file]);
  await gateway.logs.until('server listening', {}, { timeoutMs: 20_000 });
  return { gateway, port, url: `http://127.0.0.1:${port}` };
}

/** All kinds of clients that a stop can meet. */
async function clientsOf({ port, url }: Serving) {
  const [busy, idle, slow, sse] = [
    await connectRaw(port),
    await connectRaw(port),
    await connectRaw(port),
    await connectRaw(port),
  ];
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
  const socketClosed = new Promise<number>((resolve) => socket.on('close', resolve).on('error', () => {}));
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  for (const client of [busy, idle]) {
    await client.write(GET('/a'));
    await client.response();
  }
  await sse.write(GET('/sse'));
  await sse.until(() => sse.text.includes('data: 1'), 'the first event');
  await slow.write(GET('/slow'));
  return { busy, idle, slow, sse, socketClosed };
}

describe('case 58: a graceful stop', () => {
  it('first says so, then finishes what is under way, and cuts the rest at the end of the grace period', async () => {
    const serving = await serve({ delay: '600ms', grace_period: '1500ms' }, 1_200);
    const { busy, idle, slow, sse, socketClosed } = await clientsOf(serving);
    const { gateway, port, url } = serving;
    gateway.kill('SIGTERM');
    await gateway.logs.until('shutdown started', { signal: 'SIGTERM' });
    // The delay: readiness is off, everything else goes on.
    expect((await get(`${url}/health/ready`, { agent: false })).status).toBe(503);
    expect((await get(`${url}/health/live`, { agent: false })).status).toBe(200);
    expect((await get(`${url}/a`, { agent: false })).status).toBe(200);
    await busy.write(GET('/a'));
    expect((await busy.response(1)).status).toBe(200);
    // The drain: idle connections end, new ones are refused, the slow request is answered.
    await idle.untilEnded();
    await waitFor(
      () =>
        connectRaw(port).then(
          () => false,
          (error: NodeJS.ErrnoException) => error.code === 'ECONNREFUSED',
        ),
      'connections are refused',
    );
    const answer = await slow.response();
    expect([answer.status, answer.text, answer.header('connection')]).toEqual([200, 'slow', 'close']);
    expect(await socketClosed).toBe(1001);
    // The end: what is left is cut, and everything has its line.
    await sse.untilClosed();
    expect(sse.responses[0]!.complete).toBe(false);
    expect(await gateway.exit).toMatchObject({ code: 0 });
    expect(gateway.logs.with('shutdown complete')).toHaveLength(1);
    expect(gateway.logs.with('request completed', { path: '/slow' })).toHaveLength(1);
    expect(
      gateway.logs.with('request completed', { path: '/sse', reason: 'gateway_stopped', status: 200 }),
    ).toHaveLength(1);
    expect(gateway.logs.with('request completed', { path: '/ws' })).toHaveLength(1);
    expect(gateway.stderr).toBe('');
  });

  it('ends as soon as nothing is under way, long before the grace period', async () => {
    const serving = await serve({ grace_period: '60s' }, 300);
    const slow = await connectRaw(serving.port);
    await connectRaw(serving.port);
    await slow.write(GET('/slow'));
    await new Promise((resolve) => setTimeout(resolve, 100));
    serving.gateway.kill('SIGINT');
    expect((await slow.response()).text).toBe('slow');
    expect(await serving.gateway.exit).toMatchObject({ code: 0 });
    expect(serving.gateway.logs.with('shutdown complete')[0]).toMatchObject({ drained: 1, cut: 0 });
  });

  it('ends at once at the second signal, whatever is under way', async () => {
    const serving = await serve({ grace_period: '60s' }, 60_000);
    const { sse, slow } = await clientsOf(serving);
    serving.gateway.kill('SIGTERM');
    await serving.gateway.logs.until('shutdown started');
    serving.gateway.kill('SIGTERM');
    expect(await serving.gateway.exit).toMatchObject({ code: 143 });
    await Promise.all([sse.untilClosed(), slow.untilClosed()]);
  });
});

describe('the count of a stop', () => {
  it('says what was finished and what was cut, also of requests that came during the drain', async () => {
    const url = await backend(300);
    const gateway = await startTestGateway({
      server: { shutdown: { grace_period: '800ms' } },
      routes: [{ path: '/', backends: [{ url }] }],
    });
    const [slow, late] = [await gateway.connect(), await gateway.connect()];
    await late.write(GET('/slow'));
    await late.response();
    await slow.write(GET('/slow'));
    await late.write('GET /sse HTTP/1.1\r\nHost: h\r\n');
    await expect.poll(() => gateway.metric('gateway_active_requests')).toBe(1);
    const stopped = gateway.stop('SIGTERM');
    await late.write('\r\n');
    await stopped;
    expect(gateway.logsWith('shutdown started')[0]).toMatchObject({ in_flight: 1 });
    expect(gateway.logsWith('shutdown complete')[0]).toMatchObject({ drained: 1, cut: 1 });
    await late.untilClosed();
  });

  it('stops once, however often it is asked to', async () => {
    const gateway = await startTestGateway({
      routes: [{ path: '/', backends: [{ url: await backend(0) }] }],
    });
    await Promise.all([gateway.stop('SIGTERM'), gateway.stop('SIGINT'), gateway.stop()]);
    expect(gateway.logsWith('shutdown complete')).toHaveLength(1);
  });
});
