import type { RedisOptions } from 'ioredis';

const LONGEST_PAUSE = 2_000;

/** Fails at once instead of queueing: whoever asks has something else to do. Reconnects for ever. */
export const clientOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  retryStrategy: (times: number) => Math.min(50 * 2 ** Math.min(times, 10), LONGEST_PAUSE),
  connectTimeout: 5_000,
  keepAlive: 30_000,
  noDelay: true,
  protocol: 2,
  disableClientInfo: true,
  connectionName: 'nexus-gateway',
} satisfies RedisOptions;
