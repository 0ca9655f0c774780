import { createHash, randomBytes } from 'node:crypto';

import type { Clock } from '../../common/clock.js';
import type { RedisConnection } from '../../exchange/redis.js';
import type { CacheStore, Found, Seen, StoredFilter, StoredPlace, StoredSet } from '../cache-store.js';
import { RemovalDebts } from './removal-debts.js';
import { DELETE, END_GENERATION, GENERATION, GET, MARK, PUT } from './redis-scripts.js';
import { scanEntries } from './redis-scan.js';
import { decodeSet, encodeSet } from './set-format.js';

/** Keeps answers in Redis, where gateways share them. Redis bounds them (`maxmemory`), and each has a time to live. */
export class RedisStore implements CacheStore {
  readonly #prefix: string;
  readonly #debts = new RemovalDebts((keys) => this.#unlink(keys));

  constructor(
    private readonly redis: RedisConnection,
    private readonly maxEntrySize: number,
    private readonly clock: Clock,
  ) {
    // The 2 is the form of the entries: gateways of another form don't meet them.
    this.#prefix = `${redis.prefix}cache:2:`;
    redis.watch((down) => {
      if (down === null) void this.#debts.pay();
    });
  }

  get available(): boolean {
    return this.redis.available;
  }

  async get(key: string, { route, group }: StoredPlace): Promise<Found> {
    const keys = [this.#entry(key), this.#route(route), this.#group(group), this.#whole];
    const reply = await this.#ask(() =>
      this.redis.script(GET, keys, [this.#prefix, newName(), LONGEST_FETCH]),
    );
    return Array.isArray(reply) ? foundIn(key, reply as Buffer[]) : UNKNOWN;
  }

  async put(key: string, set: StoredSet, { marks: seen, version }: Seen): Promise<boolean> {
    const ttl = Math.ceil(set.usefulUntil - this.clock.wall());
    if (set.bytes > this.maxEntrySize || ttl <= 0) {
      await this.delete(key);
      return true;
    }
    const keys = [this.#entry(key), this.#route(set.route), this.#group(set.group), this.#whole];
    const marks = mark(set.path) + mark(set.route) + mark(set.group);
    const args = [this.#prefix, marks, encodeSet(key, set), Math.min(ttl, LONGEST), newName(), seen, version];
    return (await this.#ask(() => this.redis.script(PUT, keys, args))) === 1;
  }

  async delete(key: string): Promise<void> {
    await this.#remove(this.#entry(key));
  }

  async clear(filter: StoredFilter): Promise<number> {
    const { route, path, group } = filter;
    if (path === undefined && route === undefined && group !== undefined)
      return this.#end(this.#group(group));
    if (path === undefined && group === undefined && route !== undefined)
      return this.#end(this.#route(route));
    const removed = await this.#ask(() => this.#sweep(filter));
    if (removed === null) this.#debts.owe(null);
    return Number(removed);
  }

  /** Looks at every entry, some hundred at a time: for the admin API, not for requests. */
  async #sweep({ route, path, group }: StoredFilter): Promise<number> {
    const wanted = [path, route, group].map((text) => (text === undefined ? null : mark(text)));
    let cleared = 0;
    await this.redis.script(END_GENERATION, [this.#whole], []);
    for await (const { key, marks } of scanEntries(this.redis, `${this.#prefix}entry:`)) {
      const meant = wanted.every((one, at) => one === null || marks.startsWith(one, at * MARK));
      if (meant) cleared += await this.#remove(key);
    }
    return cleared;
  }

  #remove(entry: string): Promise<number> {
    return this.#forget(entry, () => this.redis.script(DELETE, [entry], [this.#prefix]));
  }

  #end(generation: string): Promise<number> {
    return this.#forget(generation, () => this.redis.script(END_GENERATION, [generation], []));
  }

  /** What must go is gone when Redis is back, at the latest. */
  async #forget(key: string, remove: () => Promise<unknown>): Promise<number> {
    const removed = await this.#ask(remove);
    if (removed === null) this.#debts.owe(key);
    return Number(removed);
  }

  async #unlink(keys: readonly string[] | null): Promise<boolean> {
    const done = keys ? () => this.redis.command('UNLINK', keys) : () => this.#sweep({});
    return (await this.#ask(done)) !== null;
  }

  /** Null for what Redis can't answer, as if nothing were there; who watches the connection says so in the log. */
  async #ask<T>(command: () => Promise<T>): Promise<T | null> {
    if (!this.available) return null;
    try {
      return await command();
    } catch {
      return null;
    }
  }

  /** Of what is cleared entry by entry: an answer that was under way meanwhile has none yet. */
  get #whole(): string {
    return `${this.#prefix}whole`;
  }

  /** A digest: keys hold what clients sent, of any length. */
  #entry(key: string): string {
    return `${this.#prefix}entry:${createHash('sha256').update(key).digest('base64url')}`;
  }

  #route(id: string): string {
    return `${this.#prefix}route:${mark(id)}`;
  }

  #group(name: string): string {
    return `${this.#prefix}group:${mark(name)}`;
  }
}

/** A year, in milliseconds: Redis refuses what overflows. */
const LONGEST = 365 * 86_400_000;

/** An answer that took longer is not stored: what was seen before it may be forgotten. In milliseconds. */
const LONGEST_FETCH = 120_000;
const UNKNOWN: Found = { set: null, seen: null };

/** A name that nothing had before. */
function newName(): string {
  return randomBytes(GENERATION / 2).toString('hex');
}

/** Without room for a mark nothing can be put. */
function foundIn(key: string, [bytes, version, ...marks]: readonly Buffer[]): Found {
  const set = bytes!.length === 0 ? null : decodeSet(key, bytes!);
  if (marks.some(({ length }) => length !== GENERATION)) return { set, seen: null };
  return { set, seen: { marks: marks.join(''), version: String(version) } };
}

function mark(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, MARK);
}
