import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';

import { closeAtEnd } from './cleanup.js';
import { freePort } from './ports.js';
import { waitFor } from './wait.js';

/** A Redis of the test's own, in memory, on a free port of 127.0.0.1. */
export class TestRedis {
  #process: ChildProcess | null = null;

  constructor(
    readonly port: number,
    private readonly args: readonly string[],
  ) {}

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts it, again too after `stop`: then with nothing in it. */
  async start(): Promise<void> {
    const args = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    this.#process = spawn('redis-server', [...args, ...this.args], { stdio: 'ignore' });
    await waitFor(() => this.#answers(), 'redis-server answers');
  }

  async stop(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Its sockets stay open, but nobody answers. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  /** The answer to one command, as it comes over the wire. */
  async ask(command: string): Promise<string> {
    const socket = connect(this.port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      socket.write(`${command}\r\n`);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      return answer.toString('latin1');
    } finally {
      socket.destroy();
    }
  }

  async #answers(): Promise<boolean> {
    const answer = await this.ask('PING').catch(() => '');
    // With a password it asks for that first.
    return /^(?:\+PONG|-NOAUTH)/.test(answer);
  }
}

/** Starts a Redis and ends it with the test or the file. `args`: more options of redis-server. */
export async function startRedis(args: readonly string[] = []): Promise<TestRedis> {
  const redis = new TestRedis(await freePort(), args);
  closeAtEnd(() => redis.stop());
  await redis.start();
  return redis;
}
