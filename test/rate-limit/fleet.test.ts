import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { echoUpstream, request, spawnCli } from '../support/index.js';
import { freePort } from '../support/ports.js';
import { startRedis } from '../support/redis.js';
import { ownFolder } from './support.js';

const ALGORITHMS = ['token_bucket', 'sliding_window', 'fixed_window'];
const LIMIT = 50;

/** A process of the built gateway with a route for each algorithm. */
async function startProcess(redis: string, backend: string): Promise<string> {
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
    redis: { url: redis, command_timeout: '5s' },
    routes,
  };
  writeFileSync(file, JSON.stringify(document));
  const gateway = await spawnCli(['serve', '--config', file]);
  await gateway.logs.until('server listening');
  return `http://127.0.0.1:${port}`;
}

describe('two processes on one Redis', () => {
  it('hold each limit exactly, under 200 requests at once', async () => {
    const [redis, upstream] = [await startRedis(), await echoUpstream()];
    const fleet = [await startProcess(redis.url, upstream.url), await startProcess(redis.url, upstream.url)];
    for (const algorithm of ALGORITHMS) {
      const before = upstream.requests.length;
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, index) => request(`${fleet[index % 2]!}/${algorithm}`)),
      );
      const passed = answers.filter(({ status }) => status === 200);
      expect(passed).toHaveLength(LIMIT);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(200 - LIMIT);
      expect(upstream.requests.length - before).toBe(LIMIT);
      // What the one limit refused was not taken from the other.
      const left = (await request(`${fleet[0]!}/${algorithm}`)).header('ratelimit');
      expect(left).toContain(`"default-2";r=${1_000 - LIMIT};`);
    }
  }, 60_000);
});
