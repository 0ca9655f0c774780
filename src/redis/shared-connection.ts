import { createRequire } from 'node:module';

import type { Redis } from 'ioredis';

import { durationMs } from '../common/duration.js';
import type { RedisConfig } from '../config/observability.config.js';
import type { RedisArgument, RedisConnection, RedisScript } from '../exchange/redis.js';
import { answerInTime, answerPatiently, RedisTimeout } from './answer-in-time.js';
import { clientOptions } from './client-options.js';

const require = createRequire(import.meta.url);

/** Milliseconds for the first attempt to open it; a start, or the reload that adds it, waits for that. */
const FIRST_ATTEMPT = 1_000;
/** Milliseconds between two looks at a server that did not answer. */
const PROBE_INTERVAL = 500;
/** Looks without an answer after which another socket is tried. */
const PROBES = 6;

type Change = (down: Error | null) => void;

/** Knows whether Redis answers, and looks again in the background when it does not. */
export class SharedConnection implements RedisConnection {
  readonly prefix: string;
  readonly opened: Promise<void>;
  readonly #timeoutMs: number;
  readonly #client: Redis;
  readonly #watchers: Change[] = [];
  /** Digests of the scripts that the server at the other end of this socket has run. */
  readonly #known = new Set<string>();
  #state: 'opening' | 'up' | 'down' | 'closed' = 'opening';
  #probe: NodeJS.Timeout | null = null;
  #cause = new Error('the connection was closed');

  constructor(config: Readonly<RedisConfig>) {
    this.prefix = config.key_prefix;
    this.#timeoutMs = durationMs(config.command_timeout);
    this.#client = newClient(config.url);
    this.#client.on('error', (error: Error) => (this.#cause = withoutCommand(error)));
    this.#client.on('ready', () => {
      this.#known.clear();
      this.#up();
    });
    this.#client.on('close', () => this.#down(this.#cause));
    // What is wrong is told by the events.
    const connected = this.#client.connect().catch(() => {});
    this.opened = answerPatiently(connected, FIRST_ATTEMPT).catch((late: Error) => this.#down(late));
  }

  get available(): boolean {
    return this.#state === 'up';
  }

  watch(changed: Change): void {
    this.#watchers.push(changed);
    if (this.#state === 'down') changed(this.#cause);
  }

  command(name: string, args: readonly RedisArgument[]): Promise<unknown> {
    return this.#ask(() => this.#call(name, args));
  }

  script(script: RedisScript, keys: readonly string[], args: readonly RedisArgument[]): Promise<unknown> {
    const rest = [keys.length, ...keys, ...args];
    return this.#ask(() =>
      this.#known.has(script.sha) ? this.#byDigest(script, rest) : this.#whole(script, rest),
    );
  }

  close(): void {
    this.#state = 'closed';
    this.#stopProbing();
    this.#client.disconnect();
  }

  /** However many commands it takes, they have the time of one. */
  async #ask(question: () => Promise<unknown>): Promise<unknown> {
    if (!this.available) throw new Error('Redis is not available');
    try {
      return await answerInTime(question(), this.#timeoutMs);
    } catch (error) {
      if (error instanceof RedisTimeout) this.#unanswered(error);
      throw withoutCommand(error as Error);
    }
  }

  #call(name: string, args: readonly RedisArgument[]): Promise<unknown> {
    return this.#client.callBuffer(name, [...args]);
  }

  /** So a script that Redis does not have yet is one round trip too, not two. */
  async #whole({ sha, source }: RedisScript, rest: readonly RedisArgument[]): Promise<unknown> {
    const answer = await this.#call('EVAL', [source, ...rest]);
    this.#known.add(sha);
    return answer;
  }

  async #byDigest(script: RedisScript, rest: readonly RedisArgument[]): Promise<unknown> {
    try {
      return await this.#call('EVALSHA', [script.sha, ...rest]);
    } catch (error) {
      if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
      this.#known.delete(script.sha);
      // Nobody waits any more for what Redis was too late to say.
      if (!this.available) throw error;
      return this.#whole(script, rest);
    }
  }

  #up(): void {
    if (this.#state === 'closed' || this.#state === 'up') return;
    const wasDown = this.#state === 'down';
    this.#state = 'up';
    this.#stopProbing();
    if (wasDown) this.#tell(null);
  }

  #down(cause: Error): void {
    if (this.#state === 'closed' || this.#state === 'down') return;
    this.#state = 'down';
    this.#cause = cause;
    this.#tell(cause);
  }

  /** The socket is open, yet nobody answers: no event will tell when that is over. */
  #unanswered(cause: Error): void {
    if (this.#state !== 'up') return;
    this.#down(cause);
    this.#look(1);
  }

  #look(count: number): void {
    answerInTime(this.#call('PING', []), this.#timeoutMs).then(
      () => this.#up(),
      () => this.#lookAgain(count),
    );
  }

  #lookAgain(count: number): void {
    if (this.#state !== 'down' || this.#client.status !== 'ready') return;
    if (count >= PROBES) {
      this.#client.disconnect(true);
      return;
    }
    this.#probe = setTimeout(() => this.#look(count + 1), PROBE_INTERVAL).unref();
  }

  #stopProbing(): void {
    if (this.#probe !== null) clearTimeout(this.#probe);
    this.#probe = null;
  }

  #tell(down: Error | null): void {
    for (const changed of this.#watchers) changed(down);
  }
}

/** Loads ioredis, which takes 6 MB: only where a document has a Redis. */
function newClient(url: string): Redis {
  const { Redis: Client } = require('ioredis') as { Redis: typeof Redis };
  return new Client(url, clientOptions);
}

/** The client adds the command with its arguments to errors; those of AUTH are credentials. */
function withoutCommand(error: Error): Error {
  if (!('command' in error)) return error;
  return new Error(error.message);
}
