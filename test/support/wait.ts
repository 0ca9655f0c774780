import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** Milliseconds until it gives up. Default 5,000. */
  readonly timeoutMs?: number;
  /** Milliseconds between two looks. Default 5. */
  readonly intervalMs?: number;
}

/**
 * Looks again and again until the predicate gives something truthy, and returns that. Fails with the message
 * after the time-out. For states that have no event to wait for: log lines, gauges, closed sockets.
 */
export async function waitFor<T>(
  predicate: () => T | Promise<T>,
  message: string | (() => string),
  { timeoutMs = 5_000, intervalMs = 5 }: WaitOptions = {},
): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await predicate();
    if (value) return value;
    if (performance.now() >= deadline) {
      const text = typeof message === 'string' ? message : message();
      throw new Error(`not within ${timeoutMs} ms: ${text}`);
    }
    await delay(intervalMs);
  }
}
