import { beforeAll, describe, expect, it } from 'vitest';

import {
  CONTRACT_MAX_ENTRY,
  cacheStoreContract,
  putIn,
  setIn,
  storedResponse,
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
    await putIn(a, 'k', storedSet());
    expect(await setIn(b, 'k')).toEqual(storedSet({ usefulUntil: expect.any(Number) as number }));
    expect(await setIn(other, 'k')).toBeNull();
    await putIn(other, 'k', storedSet());
    expect(await other.clear({})).toBe(1);
    expect(await b.clear({ group: storedSet().group })).toBe(1);
    expect(await setIn(a, 'k')).toBeNull();
  });

  it('puts the prefix before every key and no client text into any', async () => {
    await redis.ask('FLUSHALL');
    const store = await openStore(redis, 'team:');
    await putIn(store, 'GET secret-token', storedSet({ path: '/secret-path', group: 'secret-group' }));
    const keys = (await redis.ask('KEYS *')).split('\r\n').filter((line) => /^[^*$]/.test(line));
    expect(keys).toHaveLength(4);
    for (const key of keys)
      expect(key).toMatch(/^team:cache:2:(?:(?:entry|route|group):[\w-]{32,43}|whole)$/);
  });

  it('lets Redis forget what is of no more use', async () => {
    await redis.ask('FLUSHALL');
    const store = await openStore();
    await putIn(store, 'a', storedSet({ usefulUntil: Date.now() + 150 }));
    expect(await setIn(store, 'a')).not.toBeNull();
    const entries = (): Promise<string> => redis.ask('KEYS *:entry:*');
    await waitFor(async () => (await entries()).startsWith('*0'), 'it has expired');
    await putIn(store, 'a', storedSet({ usefulUntil: Date.now() - 1 }));
    expect(await entries()).toMatch(/^\*0/);
  });

  it('asks Redis once for each look-up', async () => {
    const store = await openStore();
    await putIn(store, 'a', storedSet());
    await setIn(store, 'a');
    const calls = async (): Promise<number> =>
      Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.ask('INFO commandstats'))![1]);
    const before = await calls();
    await setIn(store, 'a');
    expect(await calls()).toBe(before + 1);
  });

  it.each(['route', 'group'])(
    'serves nothing whose %s Redis evicted: it could have been cleared',
    async (mark) => {
      await redis.ask('FLUSHALL');
      const store = await openStore();
      await putIn(store, 'a', storedSet());
      const keys = (await redis.ask(`KEYS *:${mark}:*`)).split('\r\n');
      expect(await redis.ask(`DEL ${keys[2]}`)).toMatch(/^:1/);
      expect(await setIn(store, 'a')).toBeNull();
    },
  );

  it('takes what it can not read for a miss', async () => {
    await redis.ask('FLUSHALL');
    const store = await openStore();
    await putIn(store, 'a', storedSet());
    const entry = (await redis.ask('KEYS *:entry:*')).split('\r\n')[2];
    await redis.ask(`SETRANGE ${entry} 140 garbage`);
    expect(await setIn(store, 'a')).toBeNull();
    await redis.ask(`DEL ${entry}`);
    await redis.ask(`LPUSH ${entry} x`);
    expect(await setIn(store, 'a')).toBeNull();
  });

  it('does without what Redis has no room for', async () => {
    const full = await startRedis(['--maxmemory', '1']);
    const store = await openStore(full);
    await putIn(store, 'a', storedSet());
    expect(await setIn(store, 'a')).toBeNull();
    expect(await store.clear({ route: 'users' })).toBe(0);
  });

  it('holds nothing while Redis is down, and pays back the removals of that time', async () => {
    const server = await startRedis();
    const store = await openStore(server);
    await putIn(store, 'a', storedSet());
    await putIn(store, 'b', storedSet({ group: 'other' }));
    server.freeze();
    expect(await setIn(store, 'a')).toBeNull();
    expect(await store.clear({ group: storedSet().group })).toBe(0);
    await store.delete('never there');
    server.thaw();
    await waitFor(() => setIn(store, 'b'), 'the store is back');
    expect(await setIn(store, 'a')).toBeNull();
  });

  it.each([
    ['its group', { group: storedSet().group }, false],
    ['its route', { route: 'users' }, false],
    ['its path', { path: storedSet().path }, false],
    ['everything', {}, false],
    ['another group', { group: 'other' }, true],
  ])('stores no answer that was asked for before another gateway cleared %s', async (_, filter, kept) => {
    await redis.ask('FLUSHALL');
    const [store, other] = [await openStore(), await openStore()];
    for (const stood of [false, true]) {
      if (stood) await putIn(store, 'a', storedSet());
      const { seen } = await store.get('a', storedSet());
      await other.clear(filter);
      expect(await store.put('a', storedSet(), seen!)).toBe(kept);
      expect((await setIn(other, 'a')) !== null).toBe(kept);
    }
  });

  it('stores nothing over what another one put since the look-up', async () => {
    await redis.ask('FLUSHALL');
    const [store, other] = [await openStore(), await openStore()];
    for (const body of ['first', 'second']) {
      const { seen } = await store.get('a', storedSet());
      expect(await putIn(other, 'a', storedSet({ variants: [storedResponse(body)] }))).toBe(true);
      expect(await store.put('a', storedSet(), seen!)).toBe(false);
      expect(String((await setIn(store, 'a'))!.variants[0]!.body)).toBe(body);
    }
    const { seen } = await store.get('a', storedSet());
    await other.delete('a');
    expect(await store.put('a', storedSet(), seen!)).toBe(false);
    expect(await putIn(store, 'a', storedSet())).toBe(true);
  });

  it('stores nothing where a mark was evicted since the look-up', async () => {
    await redis.ask('FLUSHALL');
    const store = await openStore();
    for (const mark of ['route', 'group', 'whole']) {
      const { seen } = await store.get('a', storedSet());
      const key = (await redis.ask(`KEYS *:${mark}*`)).split('\r\n')[2];
      expect(await redis.ask(`DEL ${key}`)).toMatch(/^:1/);
      expect(await store.put('a', storedSet(), seen!)).toBe(false);
    }
  });
});
