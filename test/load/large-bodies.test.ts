import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { spawnCli } from '../support/cli.js';
import { closeAtEnd, freePort, get, listen, metricValue, open } from '../support/index.js';

const MB = 1024 ** 2;
const SIZE = 300 * MB;
const PIECE = 256 * 1024;
/** By how much the gateway's memory may grow over a transfer, whatever its size. */
const GROWTH = 50 * MB;

async function serve(listener: RequestListener) {
  const server = createServer(listener);
  const backend = `http://127.0.0.1:${await listen(server)}`;
  const folder = mkdtempSync(join(tmpdir(), 'nexus-large-'));
  closeAtEnd(() => {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });
  const port = await freePort();
  const file = join(folder, 'gateway.json');
  const route = { path: '/', max_body_size: 0, backends: [{ url: backend }] };
  const document = { server: { host: '127.0.0.1', port }, admin: { enabled: false }, routes: [route] };
  writeFileSync(file, JSON.stringify(document));
  const gateway = await spawnCli(['serve', '--config', file]);
  await gateway.logs.until('server listening', {}, { timeoutMs: 20_000 });
  return `http://127.0.0.1:${port}`;
}

async function residentBytes(url: string): Promise<number> {
  const { text } = await get(`${url}/metrics`, { timeoutMs: 30_000 });
  return metricValue(text, 'process_resident_memory_bytes') ?? NaN;
}

/** How much more memory than before the gateway held at any time while the work ran. */
async function growthDuring(url: string, work: () => Promise<unknown>): Promise<number> {
  const before = await residentBytes(url);
  let most = before;
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      most = Math.max(most, await residentBytes(url));
      await delay(100);
    }
  })();
  try {
    await work();
  } finally {
    over.abort();
  }
  await watching;
  return most - before;
}

const piece = Buffer.from(Array.from({ length: PIECE }, (_, index) => (index * 31 + (index >> 8)) % 256));

/** SHA-256 of what both ends are sent. */
const expected = ((): string => {
  const hash = createHash('sha256');
  for (let sent = 0; sent < SIZE; sent += PIECE) hash.update(piece);
  return hash.digest('hex');
})();

async function send(out: Writable): Promise<void> {
  for (let sent = 0; sent < SIZE; sent += PIECE) if (!out.write(piece)) await once(out, 'drain');
  out.end();
}

/** Reads everything, with a rest after each few megabytes: slower than the other side sends. */
async function readSlowly(source: Readable): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  let rests = 0;
  for await (const chunk of source) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes / (8 * MB) > rests + 1) {
      rests++;
      await delay(60);
    }
  }
  return { bytes, sha256: hash.digest('hex') };
}

function pieces(): Readable {
  const all = function* () {
    for (let sent = 0; sent < SIZE; sent += PIECE) yield piece;
  };
  return Readable.from(all(), { objectMode: false });
}

describe('case 29: 300 MB through a gateway that keeps none of it', () => {
  it('as an upload in chunks, to an upstream that reads slowly', async () => {
    let firstByteAfter = 0;
    let started = 0;
    const url = await serve((request, response) => {
      request.once('data', () => (firstByteAfter = performance.now() - started));
      void readSlowly(request).then((read) => response.end(JSON.stringify(read)));
    });
    let answer: unknown;
    const growth = await growthDuring(url, async () => {
      started = performance.now();
      const response = await open(`${url}/up`, { body: pieces(), timeoutMs: 60_000 });
      answer = JSON.parse(await textOf(response));
    });
    expect(answer).toEqual({ bytes: SIZE, sha256: expected });
    expect(growth).toBeLessThan(GROWTH);
    expect(firstByteAfter).toBeLessThan(1_000);
  }, 120_000);

  it('as a download, to a client that reads slowly', async () => {
    const url = await serve((_request, response) => void send(response));
    let read: unknown;
    const growth = await growthDuring(url, async () => {
      read = await readSlowly(await open(`${url}/down`, { timeoutMs: 60_000 }));
    });
    expect(read).toEqual({ bytes: SIZE, sha256: expected });
    expect(growth).toBeLessThan(GROWTH);
  }, 120_000);
});

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
