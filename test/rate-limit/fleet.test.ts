import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { echoUpstream, request, spawnCli } from '../support/index.js';
import type { CliProcess } from '../support/cli.js';
import { freePort } from '../support/ports.js';
import { startRedis } from '../support/redis.js';
import { ownFolder } from './support.js';

const ALGORITHMS = ['token_bucket', 'sliding_window', 'fixed_window'];
const LIMIT = 50;

interface Started {
  readonly url: string;
  readonly process: CliProcess;
}

/** A process of the built gateway with a route for each algorithm. */
async function startProcess(redis: object, backend: string): Promise<Started> {
  const port = await freePort();
  const file = join(ownFolder(), 'gateway.json');
  const routes = ALGORITHMS.map((algorithm) => ({
    id: algorithm,
    path: `/${algorithm}`,
    rate_limit: [
      { requests: LIMIT, per: '1h', by: 'route', store: 'redis', algorithm },
      { requests: 1_000, per: '1h', by: 'ip', store: 'redis', algorithm },
    ],
    backends: [{ url: backend }],
  }));
  const document = {
    server: { host: '127.0.0.1', port },
    admin: { enabled: false },
    redis,
    routes,
  };
  writeFileSync(file, JSON.stringify(document));
  const gateway = await spawnCli(['serve', '--config', file]);
  await gateway.logs.until('server listening');
  return { url: `http://127.0.0.1:${port}`, process: gateway };
}

/** 200 requests at once, half of them to each; which statuses came how often. */
async function flood(fleet: readonly Started[], path: string): Promise<Record<number, number>> {
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => request(`${fleet[index % 2]!.url}${path}`, { agent: false })),
  );
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('two processes on one Redis', () => {
  it('hold each limit exactly, under 200 requests at once', async () => {
    const [redis, upstream] = [await startRedis(), await echoUpstream()];
    const settings = { url: redis.url, command_timeout: '5s' };
    const fleet = [await startProcess(settings, upstream.url), await startProcess(settings, upstream.url)];
    for (const algorithm of ALGORITHMS) {
      const before = upstream.requests.length;
      expect(await flood(fleet, `/${algorithm}`)).toEqual({ 200: LIMIT, 429: 200 - LIMIT });
      expect(upstream.requests.length - before).toBe(LIMIT);
      // What the one limit refused was not taken from the other.
      const left = (await request(`${fleet[0]!.url}/${algorithm}`)).header('ratelimit');
      expect(left).toContain(`"default-2";r=${1_000 - LIMIT};`);
    }
  }, 60_000);

  it('hold it from their first request on, started both at once', async () => {
    const [redis, upstream] = [await startRedis(), await echoUpstream()];
    const settings = { url: redis.url, command_timeout: '250ms' };
    const fleet = await Promise.all([1, 2].map(() => startProcess(settings, upstream.url)));
    expect(await flood(fleet, '/token_bucket')).toEqual({ 200: LIMIT, 429: 200 - LIMIT });
    for (const { process } of fleet) expect(process.stdout).not.toContain('rate limit store');
  }, 60_000);
});
