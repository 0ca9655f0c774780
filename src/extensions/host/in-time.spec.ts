import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { inTime, LoadedTooLong } from './in-time.js';

describe('inTime', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('gives what is loaded in time, and its fault, and leaves no timer', async () => {
    await expect(inTime(Promise.resolve(1), 100)).resolves.toBe(1);
    await expect(inTime(Promise.reject(new Error('syntax')), 100)).rejects.toThrow('syntax');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gives up what never settles', async () => {
    const fault = inTime(new Promise(() => {}), 10_000).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await fault).toBeInstanceOf(LoadedTooLong);
    expect(String(await fault)).toContain('did not finish loading within 10 s');
  });

  it('is not disturbed by a module that fails too late', async () => {
    const { promise, reject } = Promise.withResolvers<never>();
    const fault = inTime(promise, 10).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10);
    reject(new Error('late'));
    expect(await fault).toBeInstanceOf(LoadedTooLong);
  });
});
