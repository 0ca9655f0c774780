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

/** Milliseconds of patience that pass between two looks at the sockets. */
const TICK = 50;

/**
 * The same for what takes several round trips while this process is busy with something else (it starts): time in
 * which it did not get to look at its sockets counts as one tick of 50 ms, however long it was.
 */
export function answerPatiently<T>(answer: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let left = Math.ceil(ms / TICK);
    const ticks = setInterval(() => {
      if (--left > 0) return;
      clearInterval(ticks);
      setImmediate(() => reject(new RedisTimeout(ms)));
    }, TICK);
    answer.then(resolve, reject).finally(() => clearInterval(ticks));
  });
}
