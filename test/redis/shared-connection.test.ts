import { createServer } from 'node:net';

import { describe, expect, it, vi } from 'vitest';

import { SharedConnection } from '../../src/redis/shared-connection.js';
import { closeAtEnd, listen, startRedis, TestRedis, waitFor } from '../support/index.js';
import { missing } from '../support/programs.mjs';

interface Opened {
  readonly connection: SharedConnection;
  /** Every change it told: why it went down, or null. */
  readonly changes: (string | null)[];
}

function open(url: string, command_timeout = '50ms'): Opened {
  const connection = new SharedConnection({ url, key_prefix: 'nexus:', command_timeout });
  closeAtEnd(() => connection.close());
  const changes: (string | null)[] = [];
  connection.watch((down) => changes.push(down && down.message));
  return { connection, changes };
}

const SCRIPT = { source: 'return ARGV[1]', sha: '098e0f0d1448c0a81dafe820f66d460eb09263da' };

/** Keeps this process from looking at its sockets. */
function busyFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** How often Redis was sent this command. */
async function callsOf(redis: TestRedis, name: string): Promise<number> {
  const calls = new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(await redis.ask('INFO commandstats'));
  return Number(calls?.[1] ?? 0);
}

async function opened(redis: TestRedis, command_timeout?: string): Promise<Opened> {
  const one = open(redis.url, command_timeout);
  await waitFor(() => one.connection.available, 'the connection is open');
  return one;
}

describe.skipIf(missing('redis-server') !== false)('the connection to Redis', () => {
  it('sends bytes and gets them back', async () => {
    const { connection, changes } = await opened(await startRedis());
    const bytes = Buffer.from([0, 255, 13, 10, 128]);
    await connection.command('SET', ['k', bytes]);
    expect(await connection.command('GET', ['k'])).toEqual(bytes);
    expect(changes).toEqual([]);
  });

  it('reports the errors of Redis and stays up', async () => {
    const { connection, changes } = await opened(await startRedis());
    await expect(connection.command('GET', [])).rejects.toThrow('wrong number of arguments');
    expect(connection.available).toBe(true);
    expect(changes).toEqual([]);
  });

  it('sends a script that Redis has lost', async () => {
    const redis = await startRedis();
    const { connection } = await opened(redis);
    expect(String(await connection.script(SCRIPT, [], ['x']))).toBe('x');
    await redis.ask('SCRIPT FLUSH');
    expect(String(await connection.script(SCRIPT, [], ['y']))).toBe('y');
    expect([await callsOf(redis, 'eval'), await callsOf(redis, 'evalsha')]).toEqual([2, 1]);
  });

  it('sends a script whole the first time, and by its digest from then on: one round trip each', async () => {
    const redis = await startRedis();
    const { connection } = await opened(redis);
    for (const text of ['x', 'y', 'z']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other.
      expect(String(await connection.script(SCRIPT, [], [text]))).toBe(text);
    }
    expect([await callsOf(redis, 'eval'), await callsOf(redis, 'evalsha')]).toEqual([1, 2]);
  });

  it('waits once for a script that Redis has lost, though it takes two commands', async () => {
    const redis = await startRedis();
    const { connection } = await opened(redis, '4321ms');
    await connection.script(SCRIPT, [], ['x']);
    await redis.ask('SCRIPT FLUSH');
    const timers = vi.spyOn(globalThis, 'setTimeout');
    try {
      expect(String(await connection.script(SCRIPT, [], ['y']))).toBe('y');
      expect(await callsOf(redis, 'eval')).toBe(2);
      expect(timers.mock.calls.filter(([, ms]) => ms === 4_321)).toHaveLength(1);
    } finally {
      timers.mockRestore();
    }
  });

  it('gives the first connection a second of its own, in which a busy process loses nothing', async () => {
    const redis = await startRedis();
    const { connection, changes } = open(redis.url, '1ms');
    busyFor(1_500);
    await connection.opened;
    expect(connection.available).toBe(true);
    expect(changes).toEqual([]);
  });

  it('is down when Redis stands still at the start, and up when it goes on', async () => {
    const redis = await startRedis();
    redis.freeze();
    const { connection, changes } = open(redis.url);
    await connection.opened;
    expect(connection.available).toBe(false);
    expect(changes).toEqual(['no answer within 1000 ms']);
    redis.thaw();
    await waitFor(() => connection.available, 'it is open');
    expect(changes.slice(1)).toEqual([null]);
  });

  it('goes down with a Redis that ends, and comes back with it, telling each once', async () => {
    const redis = await startRedis();
    const { connection, changes } = await opened(redis);
    await redis.stop();
    await waitFor(() => !connection.available, 'it is down');
    await expect(connection.command('PING', [])).rejects.toThrow('not available');
    await redis.start();
    await waitFor(() => connection.available, 'it is back');
    expect(changes).toEqual([expect.any(String), null]);
  });

  it('opens when a Redis appears that was not there at the start', async () => {
    const redis = await startRedis();
    await redis.stop();
    const { connection, changes } = open(redis.url);
    await waitFor(() => changes.length > 0, 'it told that nobody is there');
    expect(changes[0]).toContain('ECONNREFUSED');
    await redis.start();
    await waitFor(() => connection.available, 'it is open');
    expect(changes.slice(1)).toEqual([null]);
  });

  it('gives up on a Redis that stands still, asks it no more, and notices when it goes on', async () => {
    const redis = await startRedis();
    const { connection, changes } = await opened(redis);
    redis.freeze();
    await expect(connection.command('PING', [])).rejects.toThrow('no answer within 50 ms');
    expect(connection.available).toBe(false);
    await expect(connection.command('PING', [])).rejects.toThrow('not available');
    redis.thaw();
    await waitFor(() => connection.available, 'it is back');
    expect(changes).toEqual(['no answer within 50 ms', null]);
  });

  it('takes an answer that waited for this process in time', async () => {
    const { connection } = await opened(await startRedis());
    const answer = connection.command('PING', []);
    // The command leaves in this turn of the loop; then nobody looks for longer than the time-out.
    await new Promise((resolve) => setImmediate(resolve));
    busyFor(120);
    expect(String(await answer)).toBe('PONG');
    expect(connection.available).toBe(true);
  });

  it('signs in, and says nothing of the password when that fails', async () => {
    const redis = await startRedis(['--requirepass', 'right-one']);
    const right = open(`redis://:right-one@127.0.0.1:${redis.port}`);
    await waitFor(() => right.connection.available, 'it is open');
    const { connection, changes } = open(`redis://user:wrong-one@127.0.0.1:${redis.port}`);
    await waitFor(() => changes.length > 0, 'it told why not');
    expect(connection.available).toBe(false);
    expect(changes[0]).toMatch(/WRONGPASS/);
    expect(changes.join()).not.toContain('wrong-one');
  });

  it('speaks TLS to rediss', async () => {
    let first: number | undefined;
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (data) => {
        first = Buffer.from(data).readUInt8(0);
        socket.destroy();
      });
    });
    const port = await listen(server);
    closeAtEnd(() => server.close());
    open(`rediss://127.0.0.1:${port}`);
    // 22 is the record type of a handshake (RFC 8446 §5.1).
    await waitFor(() => first !== undefined, 'it began to speak');
    expect(first).toBe(22);
  });
});
