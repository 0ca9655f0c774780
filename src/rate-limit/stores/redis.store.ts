import type { RedisConnection } from '../../exchange/redis.js';
import type { Decision, LimitNumbers } from '../limit.js';
import { algorithmOf } from '../algorithms/algorithm.js';
import { type LimitScripts, limitScripts } from './redis.scripts.js';

/** Milliseconds between two looks at a Redis that answers, but with errors. */
const PROBE_MS = 500;

/** One limit as the scripts take it. */
export interface RedisRule {
  readonly algorithm: LimitNumbers['algorithm'];
  readonly numbers: readonly [number, number, number];
}

export interface RedisAsk {
  readonly rule: RedisRule;
  readonly key: string;
  readonly cost: number;
  /** Of the take that is given back; 0 for a take. */
  readonly stamp: number;
}

/** Told once a change. */
export interface StoreEvents {
  unavailable(cause: Error): void;
  recovered(): void;
}

export function redisRule(numbers: LimitNumbers): RedisRule {
  return { algorithm: numbers.algorithm, numbers: algorithmOf(numbers).luaArguments };
}

/**
 * Limits in Redis, behind a breaker: after the first failure nobody asks Redis any more until a look in the background
 * found that it takes writes again. An error counts like silence: a replica, a full memory, a missing password.
 */
export class RedisLimitStore {
  /** Put in front of every key. The braces keep all limits in one slot of a cluster: one script reads several. */
  readonly prefix: string;
  #state: 'opening' | 'up' | 'down' | 'retired';
  #probe: NodeJS.Timeout | null = null;

  constructor(
    private readonly connection: RedisConnection,
    private readonly events: StoreEvents,
    private readonly scripts: LimitScripts = limitScripts(),
  ) {
    this.prefix = `${connection.prefix}{limits}:`;
    this.#state = connection.available ? 'up' : 'opening';
    connection.watch((down) => (down === null ? void this.#look() : this.#failed(down)));
    void connection.opened.then(() => this.#settle());
  }

  /** False while asking would be in vain: then `take` is not to be called. No document is in force before it opened. */
  get usable(): boolean {
    return this.#state === 'up';
  }

  /** Known to be away; false too while it opens. */
  get down(): boolean {
    return this.#state === 'down';
  }

  /** Takes from every key or, when one refuses, from none. Rejects when Redis does not do it in time. */
  async take(asks: readonly RedisAsk[]): Promise<Decision[]> {
    if (!this.usable) throw new Error('Redis is not available');
    return this.#run(async () => decisionsIn(await this.#send('take', asks), asks.length));
  }

  /** Gives back; nobody needs to wait for it. What can't be given back now is not given back at all. Never rejects. */
  async refund(asks: readonly RedisAsk[]): Promise<void> {
    if (!this.usable) return;
    await this.#run(() => this.#send('refund', asks)).catch(() => {});
  }

  /** Nobody needs it any more: whatever becomes of its connection is not told. */
  retire(): void {
    this.#state = 'retired';
    this.#stopLooking();
  }

  #send(script: keyof LimitScripts, asks: readonly RedisAsk[]): Promise<unknown> {
    const keys = asks.map(({ key }) => this.prefix + key);
    const args = asks.flatMap(({ rule, cost, stamp }) => [rule.algorithm, cost, stamp, ...rule.numbers]);
    return this.connection.script(this.scripts[script], keys, args);
  }

  async #run<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      this.#failed(error as Error);
      throw error;
    }
  }

  #settle(): void {
    if (this.#state !== 'opening') return;
    if (this.connection.available) this.#state = 'up';
    else this.#failed(new Error('Redis is not available'));
  }

  #failed(cause: Error): void {
    if (this.#state === 'down' || this.#state === 'retired') return;
    this.#state = 'down';
    this.events.unavailable(cause);
    this.#lookLater();
  }

  /** With the very script that takes: what stops that one must stop this one. */
  async #look(): Promise<void> {
    if (this.#state !== 'down') return;
    this.#stopLooking();
    try {
      await this.#send('take', [PROBE]);
      this.#recovered();
    } catch {
      this.#lookLater();
    }
  }

  #recovered(): void {
    if (this.#state !== 'down') return;
    this.#stopLooking();
    this.#state = 'up';
    this.events.recovered();
  }

  /** A connection that is down itself tells when it is back; a look at it costs nothing. */
  #lookLater(): void {
    this.#stopLooking();
    if (this.#state !== 'down') return;
    this.#probe = setTimeout(() => void this.#look(), PROBE_MS).unref();
  }

  #stopLooking(): void {
    if (this.#probe !== null) clearTimeout(this.#probe);
    this.#probe = null;
  }
}

const PROBE: RedisAsk = {
  rule: { algorithm: 'fixed_window', numbers: [1_000_000_000, 1_000, 0] },
  key: 'probe',
  cost: 1,
  stamp: 0,
};

/** Throws for an answer that is not the script's. */
function decisionsIn(answer: unknown, count: number): Decision[] {
  const items = String(answer).split(';');
  if (items.length !== count) throw new Error('Redis gave an answer that is not understood');
  return items.map((item) => {
    const [allowed, remaining, resetMs, retryMs, stamp] = item.split(' ').map(Number);
    return {
      allowed: allowed === 1,
      remaining: remaining!,
      resetMs: resetMs!,
      retryMs: retryMs!,
      stamp: stamp!,
    };
  });
}
