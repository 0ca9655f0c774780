/** Rejection of a command that Redis did not answer within `redis.command_timeout`. */
export class RedisTimeout extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
  }
}

/**
 * The answer, or a {@link RedisTimeout} after so many milliseconds. A process that was busy itself looks at its
 * sockets once more first: an answer that lies there is in time.
 */
export function answerInTime<T>(answer: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => setImmediate(() => reject(new RedisTimeout(ms))), ms);
    answer.then(resolve, reject).finally(() => clearTimeout(late));
  });
}
