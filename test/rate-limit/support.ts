import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  closeAtEnd,
  type EchoUpstream,
  echoUpstream,
  startTestGateway,
  type TestGateway,
} from '../support/index.js';
import { listen } from '../support/ports.js';
import { startRedis, type TestRedis } from '../support/redis.js';

/** A folder of the test's own; goes with it. */
export function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'nexus-limits-'));
  closeAtEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Limit {
  readonly requests: number;
  readonly per: string;
  readonly [key: string]: unknown;
}

/** A Redis with a wire in between that counts how often a bucket is asked for. */
export class Tap {
  port = 0;
  #text = '';
  readonly #sockets = new Set<Socket>();

  static async before(redis: TestRedis): Promise<Tap> {
    const tap = new Tap();
    const server = createServer((client) => tap.#join(client, connect(redis.port, '127.0.0.1')));
    tap.port = await listen(server);
    closeAtEnd(() => {
      server.close();
      for (const socket of tap.#sockets) socket.destroy();
    });
    return tap;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** How often this text was sent to Redis so far. */
  count(text: string): number {
    return this.#text.split(text).length - 1;
  }

  #join(client: Socket, server: Socket): void {
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      from.pipe(to);
    }
    client.on('data', (chunk: Buffer) => (this.#text += chunk.toString('latin1')));
  }
}

export interface Bench {
  readonly redis: TestRedis;
  readonly tap: Tap;
  readonly upstream: EchoUpstream;
  readonly gateway: TestGateway;
  readonly document: Record<string, unknown>;
}

/**
 * A gateway with `/a` limited in a Redis of the test's own. `timeout`: that of commands; by default one that a busy
 * machine keeps.
 */
export async function limitedInRedis(
  limit: Partial<Limit> | Partial<Limit>[],
  { args = [], url, timeout = '2s' }: { args?: string[]; url?: (tap: Tap) => string; timeout?: string } = {},
): Promise<Bench> {
  const redis = await startRedis(args);
  const tap = await Tap.before(redis);
  const upstream = await echoUpstream();
  const inRedis = [limit].flat().map((each) => ({ requests: 3, per: '1h', store: 'redis', ...each }));
  const document = {
    redis: { url: url?.(tap) ?? tap.url, command_timeout: timeout },
    routes: [{ id: 'a', path: '/a', rate_limit: inRedis, backends: [upstream.backend] }],
  };
  return { redis, tap, upstream, document, gateway: await startTestGateway(document) };
}

export async function statuses(gateway: TestGateway, times: number, path = '/a'): Promise<number[]> {
  const answers: number[] = [];
  // oxlint-disable-next-line no-await-in-loop -- one after the other.
  for (let i = 0; i < times; i++) answers.push((await gateway.get(path)).status);
  return answers;
}
