import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import { spawnCli } from '../support/cli.js';
import { closeAtEnd, freePort, get, listen, type RawClient, connectRaw } from '../support/index.js';

const CONCURRENT = 10_000;
/** To each backend: as many requests can be in flight on it. */
const CONNECTIONS = 256;

/** Answers each request with its own path after a moment; counts what it has not answered yet. */
class Backend {
  inFlight = 0;
  served = 0;
  private readonly server: Server;
  url = '';

  constructor(private readonly delayMs: number) {
    this.server = createServer((request, response) => this.answer(request, response));
    closeAtEnd(() => this.die());
  }

  async start(): Promise<this> {
    this.url = `http://127.0.0.1:${await listen(this.server)}`;
    return this;
  }

  /** Cuts everything; connections are refused from now on. */
  die(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    this.inFlight++;
    setTimeout(() => {
      this.inFlight--;
      this.served++;
      response.end(request.url);
    }, this.delayMs);
  }
}

async function serve(backends: readonly Backend[]) {
  const folder = mkdtempSync(join(tmpdir(), 'nexus-load-'));
  closeAtEnd(() => rmSync(folder, { recursive: true }));
  const port = await freePort();
  const document = {
    server: { host: '127.0.0.1', port },
    admin: { enabled: false },
    logging: { access_log: false },
    upstreams: {
      two: {
        backends: backends.map(({ url }) => ({ url })),
        connection: { max_connections: CONNECTIONS, max_pending: CONCURRENT },
      },
    },
    routes: [{ path: '/', upstream: 'two', timeout: '60s' }],
  };
  const file = join(folder, 'gateway.json');
  writeFileSync(file, JSON.stringify(document));
  const gateway = await spawnCli(['serve', '--config', file]);
  await gateway.logs.until('server listening', {}, { timeoutMs: 20_000 });
  return { gateway, port, url: `http://127.0.0.1:${port}` };
}

/** Opens so many connections, a few hundred at a time: the listen backlog is smaller than that. */
async function connections(port: number, count: number): Promise<RawClient[]> {
  const clients: RawClient[] = [];
  while (clients.length < count) {
    const some = Math.min(250, count - clients.length);
    clients.push(...(await Promise.all(Array.from({ length: some }, () => connectRaw(port)))));
  }
  return clients;
}

it('answers 10,000 concurrent requests while one of two backends dies half-way: none lost, none wrong', async () => {
  const [survivor, dying] = [await new Backend(50).start(), await new Backend(50).start()];
  const { gateway, port, url } = await serve([survivor, dying]);
  const clients = await connections(port, CONCURRENT);
  let inFlight = 0;
  const answers = clients.map(async (client, index) => {
    await client.write(`GET /${index} HTTP/1.1\r\nHost: h\r\n\r\n`);
    const { status, text } = await client.response(0, 60_000);
    if (inFlight === 0 && dying.inFlight > 0 && survivor.served + dying.served >= CONCURRENT / 2) {
      inFlight = dying.inFlight;
      dying.die();
    }
    return { status, right: text === `/${index}` };
  });
  const seen = await Promise.all(answers);
  const failed = seen.filter(({ status }) => status !== 200);
  expect(dying.served).toBeGreaterThan(0);
  expect(inFlight).toBeGreaterThan(0);
  expect(seen.filter(({ status, right }) => status === 200 && !right)).toEqual([]);
  expect(new Set(failed.map(({ status }) => status))).toEqual(new Set(failed.length > 0 ? [502] : []));
  expect(failed.length).toBeLessThanOrEqual(CONNECTIONS);
  for (const client of clients) client.destroy();
  await untilAtRest({ get: (path) => get(url + path) }, 10_000);
  expect(gateway.stderr).toBe('');
}, 120_000);
