import type { RedisConnection } from '../../exchange/redis.js';
import { MARKS } from './redis-scripts.js';

/** Keys that Redis looks at in one step: small enough that others hardly wait. */
const STEP = 500;

export interface ScannedEntry {
  readonly key: string;
  /** Path, route and group. */
  readonly marks: string;
}

/** All entries that are there from the beginning to the end of the scan; one may come twice. */
export async function* scanEntries(redis: RedisConnection, prefix: string): AsyncGenerator<ScannedEntry> {
  const pattern = `${prefix.replaceAll(/[\\*?[\]]/g, String.raw`\$&`)}*`;
  let cursor = '0';
  do {
    const [next, keys] = (await redis.command('SCAN', [cursor, 'MATCH', pattern, 'COUNT', STEP])) as [
      Buffer,
      Buffer[],
    ];
    cursor = next.toString();
    yield* await withMarks(redis, keys.map(String));
  } while (cursor !== '0');
}

function withMarks(redis: RedisConnection, keys: readonly string[]): Promise<ScannedEntry[]> {
  const read = async (key: string): Promise<ScannedEntry> => ({
    key,
    marks: String(await redis.command('GETRANGE', [key, 0, MARKS - 1])),
  });
  return Promise.all(keys.map(read));
}
