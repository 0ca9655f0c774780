import { Agent } from 'node:http';

import { expect, it } from 'vitest';

import { ROOT } from '../support/cli.js';
import { echoUpstream, get, waitFor } from '../support/index.js';
import { manyRoutes, type ServedFile, serveFile } from './support.js';

const PROBE = { NODE_OPTIONS: `--expose-gc --import=${ROOT}test/reload/probe.mjs` };

interface Reading {
  /** Longest CPU time of the main thread between two turns of its event loop since the last reading. */
  readonly blockedMs: number;
  /** After a collection. */
  readonly heapUsed: number;
}

async function read({ process }: ServedFile): Promise<Reading> {
  const readings = (): string[] => process.stderr.split('\n').filter((line) => line.startsWith('{"probe"'));
  const before = readings().length;
  process.kill('SIGUSR2');
  await waitFor(() => readings().length > before, 'the probe tells');
  return JSON.parse(readings().at(-1)!) as Reading;
}

async function isThrough(gateway: ServedFile, round: number): Promise<boolean> {
  if (round % 2 === 1) return (await gateway.metric('gateway_config_last_reload_successful')) === 0;
  return (await gateway.metric('gateway_config_version')) === 1 + round / 2;
}

/** Clients that ask one after the other until told to end; the statuses they got, and what failed. */
function clients(count: number, urls: readonly string[]): { stop(): Promise<Map<string, number>> } {
  const agent = new Agent({ keepAlive: true });
  const results = new Map<string, number>();
  const stopped = new AbortController();
  const client = async (): Promise<void> => {
    for (let turn = 0; !stopped.signal.aborted; turn++) {
      const result = await get(urls[turn % urls.length]!, { agent }).then(
        ({ status }) => String(status),
        (error: Error) => error.message,
      );
      results.set(result, (results.get(result) ?? 0) + 1);
    }
  };
  const all = Array.from({ length: count }, client);
  return {
    async stop() {
      stopped.abort();
      await Promise.all(all);
      agent.destroy();
      return results;
    },
  };
}

it('200 reloads under load, every second one invalid: no request fails, and the heap is flat after the 20th', async () => {
  const { url } = await echoUpstream();
  const backend = url.slice('http://'.length);
  const gateway = await serveFile(manyRoutes(30, backend), PROBE);
  const load = clients(8, [`${gateway.url}/r0`, `${gateway.url}/r29`]);
  let flat: Reading | undefined;
  for (let round = 1; round <= 200; round++) {
    const valid = round % 2 === 0;
    // Every valid one changes all routes and upstreams, and adds or removes one of each.
    const text = valid
      ? manyRoutes(30 + (round % 4), backend, `${5 + (round % 3)}s`)
      : `routes:\n  - { path: r${round} }\n`;
    gateway.write(text);
    gateway.signal();
    // Log lines wait up to 200 ms to be written together; the gauges do not.
    await waitFor(() => isThrough(gateway, round), `reload ${round}`);
    if (round === 20) flat = await read(gateway);
  }
  const results = await load.stop();
  expect([...results.keys()]).toEqual(['200']);
  expect(results.get('200')).toBeGreaterThan(500);
  expect(await gateway.metric('gateway_config_version')).toBe(101);
  // 90 snapshots of 30 routes kept by mistake would be some 15 MB.
  expect(((await read(gateway)).heapUsed - flat!.heapUsed) / 2 ** 20).toBeLessThan(3);
});

it('a reload of 1,000 routes never holds the event loop for 50 ms, whether none, some or all of them changed', async () => {
  const { url } = await echoUpstream();
  const backend = url.slice('http://'.length);
  const gateway = await serveFile(manyRoutes(1_000, backend), PROBE);
  await read(gateway);
  const load = clients(2, [`${gateway.url}/r0`, `${gateway.url}/r999`]);
  const documents = [
    manyRoutes(1_000, backend),
    manyRoutes(1_000, backend).replace('timeout: 5s', 'timeout: 6s'),
    manyRoutes(1_000, backend, '7s'),
    manyRoutes(1_000, backend).replaceAll('/r', '/s').replaceAll('- id: r', '- id: s'),
    manyRoutes(1_000, backend),
    `request_id: { trust: false }\n${manyRoutes(1_000, backend)}`,
  ];
  const blocked: number[] = [];
  for (const document of documents) {
    expect(await gateway.reloaded(document)).toBe('config reloaded');
    blocked.push((await read(gateway)).blockedMs);
  }
  expect(Math.max(...blocked)).toBeLessThan(50);
  expect(Math.max(...blocked)).toBeLessThan(50);
  const results = await load.stop();
  // The fourth document has other paths.
  expect([...results.keys()].toSorted()).toEqual(['200', '404']);
});
