import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type TestRedis, startRedis } from '../../../test/support/redis.js';
import { RedisConfig } from '../../config/observability.config.js';
import { SharedConnection } from '../../redis/shared-connection.js';
import type { LimitNumbers, LimitStore } from '../limit.js';
import { limitStoreContract } from './limit-store.contract.js';
import { limitScripts } from './redis.scripts.js';
import { RedisLimitStore, redisRule } from './redis.store.js';

let redis: TestRedis;
let connection: SharedConnection;
const told: string[] = [];
const events = {
  unavailable: (cause: Error) => told.push(cause.message),
  recovered: () => told.push('recovered'),
};

beforeAll(async () => {
  redis = await startRedis();
  connection = connectionTo(redis);
  await connection.opened;
});
afterAll(() => connection.close());

function connectionTo({ url }: TestRedis): SharedConnection {
  return new SharedConnection(Object.assign(new RedisConfig(), { url, command_timeout: '2s' }));
}

/** The clock of the scripts stands under a key of its own; nothing goes by real time meanwhile. */
const MOVED_BY_HAND = limitScripts(`
local now = tonumber(redis.call('GET', 'now'))
local slack = 60000
`);

/** One limit of a store in Redis, with buckets that no other has. */
function limitIn(store: RedisLimitStore, numbers: LimitNumbers): LimitStore {
  const rule = redisRule(numbers);
  const place = `${Math.random()}:`;
  return {
    async take(key, cost) {
      const [decision] = await store.take([{ rule, key: place + key, cost, stamp: 0 }]);
      return decision!;
    },
    refund: (key, cost, stamp) => store.refund([{ rule, key: place + key, cost, stamp }]),
  };
}

limitStoreContract('Redis', async (numbers) => {
  const store = limitIn(new RedisLimitStore(connection, events, MOVED_BY_HAND), numbers);
  let now = 1_800_000_000_000;
  const advance = async (ms: number): Promise<void> => {
    now += ms;
    await connection.command('SET', ['now', now]);
  };
  await advance(0);
  return { store, now: () => now, advance };
});

const HOUR: LimitNumbers = { algorithm: 'token_bucket', requests: 3_600, perMs: 3_600_000, capacity: 2 };

function ask(key: string, numbers = HOUR) {
  return { rule: redisRule(numbers), key, cost: 1, stamp: 0 };
}

describe('RedisLimitStore', () => {
  it('takes from all keys of a call or from none', async () => {
    const store = new RedisLimitStore(connection, events);
    const narrow = { ...HOUR, capacity: 1 };
    await store.take([ask('all-a'), ask('all-b', narrow)]);
    const refused = await store.take([ask('all-a'), ask('all-b', narrow)]);
    expect(refused.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      [true, 1],
      [false, 0],
    ]);
    const [left] = await store.take([ask('all-a')]);
    expect(left).toMatchObject({ allowed: true, remaining: 0 });
  });

  it('keeps a key until all of its limit is back, and no longer', async () => {
    const store = new RedisLimitStore(connection, events);
    for (const algorithm of ['token_bucket', 'fixed_window', 'sliding_window'] as const) {
      await store.take([ask(`ttl-${algorithm}`, { ...HOUR, algorithm, perMs: 3_600_000, requests: 2 })]);
    }
    const ttls = await Promise.all(
      ['token_bucket', 'fixed_window', 'sliding_window'].map((name) =>
        connection.command('PTTL', [`nexus:{limits}:ttl-${name}`]),
      ),
    );
    const minutes = ttls.map((ms) => Math.round(Number(ms) / 60_000));
    expect(minutes).toEqual([30, 60, 120]);
  });

  it('keeps all its keys in one slot of a cluster', async () => {
    const store = new RedisLimitStore(connection, events);
    await store.take([ask('slot-a'), ask('slot-{b}')]);
    const keys = (await connection.command('KEYS', ['*slot-*'])) as Buffer[];
    expect(keys).toHaveLength(2);
    expect(keys.map((key) => /\{(.*?)\}/.exec(String(key))?.[1])).toEqual(['limits', 'limits']);
  });

  it.each([
    ['another type', ['LPUSH', 'nexus:{limits}:odd', 'x']],
    ['garbage', ['SET', 'nexus:{limits}:odd', 'no such state']],
    ['the state of another algorithm', ['SET', 'nexus:{limits}:odd', '1 2 3']],
  ])('takes a key that holds %s for unknown, and writes over it', async (_, [name, ...args]) => {
    const store = new RedisLimitStore(connection, events);
    await connection.command('DEL', ['nexus:{limits}:odd']);
    await connection.command(name!, args);
    const [first] = await store.take([ask('odd')]);
    const [second] = await store.take([ask('odd')]);
    const [third] = await store.take([ask('odd')]);
    expect([first, second, third].map((decision) => decision!.allowed)).toEqual([true, true, false]);
  });

  it('goes on after its scripts and its keys were flushed', async () => {
    const store = new RedisLimitStore(connection, events);
    await store.take([ask('flushed')]);
    await connection.command('SCRIPT', ['FLUSH']);
    expect((await store.take([ask('flushed')]))[0]).toMatchObject({ allowed: true, remaining: 0 });
    await connection.command('SCRIPT', ['FLUSH']);
    await store.refund([ask('flushed')]);
    expect((await store.take([ask('flushed')]))[0]).toMatchObject({ allowed: true });
    await connection.command('FLUSHALL', []);
    expect((await store.take([ask('flushed')]))[0]).toMatchObject({ allowed: true, remaining: 1 });
  });

  it('is one round trip for any number of limits', async () => {
    const store = new RedisLimitStore(connection, events);
    await store.take([ask('trip')]);
    const before = await commands();
    await store.take(Array.from({ length: 20 }, (_, index) => ask(`trip-${index}`)));
    expect((await commands()) - before).toBe(1);
  });

  it('lets exactly as many pass as the limit says, of many at once over several connections', async () => {
    const connections = Array.from({ length: 3 }, () => connectionTo(redis));
    await Promise.all(connections.map(({ opened }) => opened));
    const stores = connections.map((each) => [each, new RedisLimitStore(each, events)] as const);
    for (const algorithm of ['token_bucket', 'fixed_window', 'sliding_window'] as const) {
      const numbers = { algorithm, requests: 50, perMs: 3_600_000, capacity: 50 };
      const answers = await Promise.all(
        Array.from({ length: 300 }, (_, index) =>
          stores[index % 3]![1].take([ask(`many-${algorithm}`, numbers)]),
        ),
      );
      expect(answers.filter(([decision]) => decision!.allowed)).toHaveLength(50);
    }
    for (const [each] of stores) each.close();
  });
});

describe('RedisLimitStore before its connection is open', () => {
  function opening() {
    const lines: string[] = [];
    let opened = (): void => {};
    const fake = {
      available: false,
      opened: new Promise<void>((resolve) => (opened = resolve)),
      prefix: '',
      command: () => Promise.reject(new Error('not used')),
      script: () => Promise.resolve(Buffer.from('1 1 1 0 0')),
      watch: () => {},
    };
    const store = new RedisLimitStore(fake, {
      unavailable: ({ message }) => lines.push(message),
      recovered: () => lines.push('recovered'),
    });
    const end = async (available: boolean): Promise<void> => {
      fake.available = available;
      opened();
      await fake.opened;
    };
    return { store, lines, end };
  }

  it('makes no request wait, and is not called down yet', async () => {
    const { store, lines } = opening();
    expect([store.usable, store.down]).toEqual([false, false]);
    await expect(store.take([ask('a')])).rejects.toThrow('not available');
    expect(lines).toEqual([]);
  });

  it('asks as soon as it is open', async () => {
    const { store, lines, end } = opening();
    await end(true);
    expect(store.usable).toBe(true);
    expect(await store.take([ask('a')])).toMatchObject([{ allowed: true, remaining: 1 }]);
    expect(lines).toEqual([]);
  });

  it('is down when it could not be opened', async () => {
    const { store, lines, end } = opening();
    await end(false);
    expect([store.usable, store.down]).toEqual([false, true]);
    expect(lines).toEqual(['Redis is not available']);
    store.retire();
  });

  it('takes an answer that is not the script’s for a failure', async () => {
    const { store, lines, end } = opening();
    await end(true);
    await expect(store.take([ask('a'), ask('b')])).rejects.toThrow('not understood');
    expect(lines).toHaveLength(1);
    store.retire();
  });
});

async function commands(): Promise<number> {
  const info = String(await connection.command('INFO', ['commandstats']));
  const calls = /cmdstat_evalsha:calls=(\d+)/.exec(info)?.[1] ?? '0';
  const whole = /cmdstat_eval:calls=(\d+)/.exec(info)?.[1] ?? '0';
  return Number(calls) + Number(whole);
}
