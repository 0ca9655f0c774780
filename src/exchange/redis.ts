import type { RedisConfig } from '../config/observability.config.js';

export type RedisArgument = string | Buffer | number;

/** A Lua script, sent by its digest where Redis has it already. */
export interface RedisScript {
  readonly source: string;
  /** SHA-1 of the source, in hex. */
  readonly sha: string;
}

/**
 * One connection to Redis that many share. Nobody waits for it longer than `redis.command_timeout`: what takes
 * longer, and everything while it is down, rejects. It is restored in the background.
 */
export interface RedisConnection {
  /** False until it is open, and while Redis is known not to answer: then ask for nothing. */
  readonly available: boolean;
  /** Resolves when the first attempt to open it has ended, well or badly, or took longer than a second: then it is down. */
  readonly opened: Promise<void>;
  /** What every key must begin with (`redis.key_prefix`). */
  readonly prefix: string;
  /** Sends one command. Texts in the reply are Buffers. Rejects with an Error without credentials in it. */
  command(name: string, args: readonly RedisArgument[]): Promise<unknown>;
  /** Runs a script in one round trip, in two where Redis has lost it; both have the time of one command together. */
  script(script: RedisScript, keys: readonly string[], args: readonly RedisArgument[]): Promise<unknown>;
  /** Told when it goes down (with why) and when it comes back (null); of the first opening too if it had failed. */
  watch(changed: (down: Error | null) => void): void;
}

/** The connections in use, one for each setting of `redis`. */
export interface RedisConnections {
  /** The one for these settings. It begins to open with the first call, and is closed when no document needs it. */
  for(config: Readonly<RedisConfig>): RedisConnection;
  /** Resolves when the first attempt of each has ended ({@link RedisConnection.opened}). Never rejects. */
  opened(): Promise<void>;
}

/** Nest token of the {@link RedisConnections}. */
export const REDIS_CONNECTIONS = Symbol('RedisConnections');
