import { describe, expect, it } from 'vitest';

import { freePort } from '../support/ports.js';
import { echoUpstream, startTestGateway } from '../support/index.js';
import { TestRedis } from '../support/redis.js';
import { type Bench, limitedInRedis, ownFolder, statuses } from '../rate-limit/support.js';

const UNAVAILABLE = 'rate limit store unavailable';
const RECOVERED = 'rate limit store recovered';
/** What six more requests get while Redis is away, of which three may pass. */
const WHILE_AWAY = {
  local: [200, 200, 200, 429, 429, 429],
  open: [200, 200, 200, 200, 200, 200],
  closed: [503, 503, 503, 503, 503, 503],
};
const POLICIES = ['local', 'open', 'closed'] as const;

/** Redis was away; the limit of three holds again, within five seconds, and each change was told once. */
async function holdsAgain({ gateway }: Pick<Bench, 'gateway'>): Promise<void> {
  await gateway.logged(RECOVERED, { store: 'redis' }, { timeoutMs: 5_000 });
  expect(await gateway.metric('gateway_rate_limit_store_up')).toBe(1);
  expect((await statuses(gateway, 4)).at(-1)).toBe(429);
  expect(gateway.logsWith(UNAVAILABLE)).toHaveLength(1);
  expect(gateway.logsWith(RECOVERED)).toHaveLength(1);
}

describe.each(POLICIES)('case 52: Redis goes away, on_store_failure: %s', (on_store_failure) => {
  it('killed, and back with nothing in it', async () => {
    const bench = await limitedInRedis({ on_store_failure });
    const { gateway, redis } = bench;
    expect(await statuses(gateway, 4)).toEqual([200, 200, 200, 429]);
    await redis.stop();
    await gateway.logged(UNAVAILABLE, { store: 'redis' });
    expect(await statuses(gateway, 6)).toEqual(WHILE_AWAY[on_store_failure]);
    expect(await gateway.metric('gateway_rate_limit_store_up')).toBe(0);
    await redis.start();
    await holdsAgain(bench);
  });

  it('stopped (SIGSTOP): one request waits a command’s time at most, the others ask no more', async () => {
    const bench = await limitedInRedis({ on_store_failure }, { timeout: '200ms' });
    const { gateway, redis, tap } = bench;
    expect(await statuses(gateway, 4)).toEqual([200, 200, 200, 429]);
    const asked = tap.count('a#0:');
    redis.freeze();
    expect(await statuses(gateway, 6)).toEqual(WHILE_AWAY[on_store_failure]);
    expect(tap.count('a#0:') - asked).toBe(1);
    expect(gateway.logsWith(UNAVAILABLE)).toMatchObject([{ level: 'WARN', err: 'no answer within 200 ms' }]);
    expect(await gateway.metric('gateway_rate_limit_store_up')).toBe(0);
    redis.thaw();
    await holdsAgain(bench);
    // It has kept what it knew.
    expect(await statuses(gateway, 1)).toEqual([429]);
  });

  it('absent at the start', async () => {
    const upstream = await echoUpstream();
    const redis = new TestRedis(await freePort(), []);
    const gateway = await startTestGateway({
      redis: { url: redis.url, command_timeout: '500ms' },
      routes: [
        {
          path: '/a',
          rate_limit: { requests: 3, per: '1h', store: 'redis', on_store_failure },
          backends: [upstream.backend],
        },
      ],
    });
    expect(await statuses(gateway, 6)).toEqual(WHILE_AWAY[on_store_failure]);
    expect(await gateway.metric('gateway_rate_limit_store_up')).toBe(0);
    try {
      await redis.start();
      await holdsAgain({ gateway });
    } finally {
      await redis.stop();
    }
  });
});

describe('case 52: limits in two stages while Redis hangs', () => {
  it('make one request wait in one stage, and then none in any', async () => {
    const inRedis = { requests: 3, per: '1h', store: 'redis' };
    const { gateway, redis, tap, document } = await limitedInRedis({}, { timeout: '200ms' });
    expect(await gateway.reload({ ...document, rate_limit_per_upstream: { ...inRedis, requests: 2 } })).toBe(
      true,
    );
    const asked = (): number[] => [tap.count('a#0:'), tap.count('#upstream')];
    expect(await statuses(gateway, 1)).toEqual([200]);
    expect(asked()).toEqual([1, 1]);
    redis.freeze();
    expect(await statuses(gateway, 6)).toEqual([200, 200, 429, 429, 429, 429]);
    expect(asked()).toEqual([2, 1]);
    redis.thaw();
  });
});

describe('case 52: many requests at once while Redis hangs', () => {
  it('are all answered, with one log line', async () => {
    const { gateway, redis, upstream } = await limitedInRedis({ requests: 50 }, { timeout: '200ms' });
    await statuses(gateway, 1);
    redis.freeze();
    const answers = await Promise.all(Array.from({ length: 200 }, () => gateway.get('/a', { agent: false })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(150);
    expect(upstream.requests).toHaveLength(51);
    expect(gateway.logsWith(UNAVAILABLE)).toHaveLength(1);
    redis.thaw();
  });
});

describe('case 52: a Redis that answers with errors is one that is away', () => {
  const asks = async ({ gateway, tap }: Bench): Promise<number> => {
    const before = tap.count('a#0:');
    expect(await statuses(gateway, 6)).toEqual(WHILE_AWAY.local);
    return tap.count('a#0:') - before;
  };

  it('READONLY: it has become a replica', async () => {
    const bench = await limitedInRedis({});
    expect(await statuses(bench.gateway, 1)).toEqual([200]);
    await bench.redis.ask(`REPLICAOF 127.0.0.1 ${await freePort()}`);
    expect(await asks(bench)).toBe(1);
    await bench.redis.ask('REPLICAOF NO ONE');
    await holdsAgain(bench);
  });

  it('OOM: its memory is full', async () => {
    const bench = await limitedInRedis({}, { args: ['--maxmemory-policy', 'noeviction'] });
    expect(await statuses(bench.gateway, 1)).toEqual([200]);
    await bench.redis.ask('CONFIG SET maxmemory 1');
    expect(await asks(bench)).toBe(1);
    expect(bench.gateway.logsWith(UNAVAILABLE)[0]?.['err']).toContain('OOM');
    await bench.redis.ask('CONFIG SET maxmemory 0');
    await holdsAgain(bench);
  });

  it('NOAUTH: it wants a password', async () => {
    const bench = await limitedInRedis({}, { args: ['--requirepass', 'secret-word'] });
    expect(await statuses(bench.gateway, 6)).toEqual(WHILE_AWAY.local);
    expect(bench.tap.count('a#0:')).toBeLessThanOrEqual(1);
    expect(bench.gateway.logsWith(UNAVAILABLE)).toHaveLength(1);
  });

  it('with the password in the url it is one that answers, and no log line shows it', async () => {
    const { gateway } = await limitedInRedis(
      {},
      {
        args: ['--requirepass', 'secret-word'],
        url: ({ port }) => `redis://:secret-word@127.0.0.1:${port}`,
      },
    );
    expect(await statuses(gateway, 4)).toEqual([200, 200, 200, 429]);
    expect(gateway.logsWith(UNAVAILABLE)).toEqual([]);
    expect(gateway.rawLogs.join('\n')).not.toContain('secret-word');
  });

  it('CLUSTERDOWN: its slots are nobody’s; once it has them, one call finds all its keys in one slot', async () => {
    const dir = ownFolder();
    const limits = [{ requests: 3 }, { requests: 10, by: 'route' }];
    const bench = await limitedInRedis(limits, { args: ['--cluster-enabled', 'yes', '--dir', dir] });
    expect(await statuses(bench.gateway, 6)).toEqual(WHILE_AWAY.local);
    await bench.redis.ask('CLUSTER ADDSLOTSRANGE 0 16383');
    await holdsAgain(bench);
  });
});
