import { beforeAll, describe, expect, it } from 'vitest';

import {
  CONTRACT_MAX_ENTRY,
  cacheStoreContract,
  storedSet,
} from '../../src/cache/stores/cache-store.contract.js';
import { RedisStore } from '../../src/cache/stores/redis-store.js';
import { systemClock } from '../../src/common/clock.js';
import { SharedConnection } from '../../src/redis/shared-connection.js';
import { closeAtEnd, startRedis, TestRedis, waitFor } from '../support/index.js';
import { missing } from '../support/programs.mjs';

const absent = missing('redis-server');

let redis: TestRedis;

async function openStore(server = redis, keyPrefix = 'nexus:'): Promise<RedisStore> {
  const connection = new SharedConnection({
    url: server.url,
    key_prefix: keyPrefix,
    command_timeout: '500ms',
  });
  closeAtEnd(() => connection.close());
  await waitFor(() => connection.available, 'the connection is open');
  return new RedisStore(connection, CONTRACT_MAX_ENTRY, systemClock);
}

describe.skipIf(absent !== false)('with a Redis', () => {
  beforeAll(async () => {
    redis = await startRedis();
  });

  cacheStoreContract('Redis', async () => {
    await redis.ask('FLUSHALL');
    return openStore();
  });

  it('shares entries between gateways with one prefix, and with no others', async () => {
    await redis.ask('FLUSHALL');
    const [a, b, other] = [await openStore(), await openStore(), await openStore(redis, 'x*:')];
    await a.put('k', storedSet());
    expect(await b.get('k')).toEqual(storedSet({ usefulUntil: expect.any(Number) as number }));
    expect(await other.get('k')).toBeNull();
    await other.put('k', storedSet());
    expect(await other.clear({})).toBe(1);
    expect(await b.clear({ group: storedSet().group })).toBe(1);
    expect(await a.get('k')).toBeNull();
  });

  it('puts the prefix before every key and no client text into any', async () => {
    await redis.ask('FLUSHALL');
    const store = await openStore(redis, 'team:');
    await store.put('GET secret-token', storedSet({ path: '/secret-path', group: 'secret-group' }));
    const keys = (await redis.ask('KEYS *')).split('\r\n').filter((line) => /^[^*$]/.test(line));
    expect(keys).toHaveLength(3);
    for (const key of keys) expect(key).toMatch(/^team:cache:1:(?:entry|route|group):[\w-]{32,43}$/);
  });

  it('lets Redis forget what is of no more use', async () => {
    await redis.ask('FLUSHALL');
    const store = await openStore();
    await store.put('a', storedSet({ usefulUntil: Date.now() + 150 }));
    expect(await store.get('a')).not.toBeNull();
    await waitFor(async () => (await redis.ask('DBSIZE')).startsWith(':0'), 'everything has expired');
    await store.put('a', storedSet({ usefulUntil: Date.now() - 1 }));
    expect(await redis.ask('DBSIZE')).toMatch(/^:0/);
  });

  it('asks Redis once for each look-up', async () => {
    const store = await openStore();
    await store.put('a', storedSet());
    await store.get('a');
    const calls = async (): Promise<number> =>
      Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.ask('INFO commandstats'))![1]);
    const before = await calls();
    await store.get('a');
    expect(await calls()).toBe(before + 1);
  });

  it.each(['route', 'group'])(
    'serves nothing whose %s Redis evicted: it could have been cleared',
    async (mark) => {
      await redis.ask('FLUSHALL');
      const store = await openStore();
      await store.put('a', storedSet());
      const keys = (await redis.ask(`KEYS *:${mark}:*`)).split('\r\n');
      expect(await redis.ask(`DEL ${keys[2]}`)).toMatch(/^:1/);
      expect(await store.get('a')).toBeNull();
    },
  );

  it('takes what it can not read for a miss', async () => {
    await redis.ask('FLUSHALL');
    const store = await openStore();
    await store.put('a', storedSet());
    const entry = (await redis.ask('KEYS *:entry:*')).split('\r\n')[2];
    await redis.ask(`SETRANGE ${entry} 140 garbage`);
    expect(await store.get('a')).toBeNull();
    await redis.ask(`DEL ${entry}`);
    await redis.ask(`LPUSH ${entry} x`);
    expect(await store.get('a')).toBeNull();
  });

  it('does without what Redis has no room for', async () => {
    const full = await startRedis(['--maxmemory', '1']);
    const store = await openStore(full);
    await store.put('a', storedSet());
    expect(await store.get('a')).toBeNull();
    expect(await store.clear({ route: 'users' })).toBe(0);
  });

  it('holds nothing while Redis is down, and pays back the removals of that time', async () => {
    const server = await startRedis();
    const store = await openStore(server);
    await store.put('a', storedSet());
    await store.put('b', storedSet({ group: 'other' }));
    server.freeze();
    expect(await store.get('a')).toBeNull();
    expect(await store.clear({ group: storedSet().group })).toBe(0);
    await store.delete('never there');
    server.thaw();
    await waitFor(() => store.get('b'), 'the store is back');
    expect(await store.get('a')).toBeNull();
  });
});
