/** As the rest of a sentence that begins with the module's name. */
export class LoadedTooLong extends Error {}

/**
 * What a module gives, unless it takes longer than so many milliseconds: then rejects with a {@link LoadedTooLong}. The
 * timer keeps the process alive: node ends one that waits for a top-level `await` and for nothing else.
 */
export async function inTime<T>(loading: Promise<T>, longestMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LoadedTooLong(tooLong(longestMs))), longestMs);
  });
  try {
    return await Promise.race([loading, late]);
  } finally {
    clearTimeout(timer);
  }
}

function tooLong(ms: number): string {
  return `did not finish loading within ${ms / 1_000} s, expected its top-level await to settle`;
}
