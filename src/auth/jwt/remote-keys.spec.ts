import { generateKeyPairSync } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { KeySetEvents } from './key-set-events.js';
import { type FetchKeySet, RemoteKeys } from './remote-keys.js';

const jwk = (kid: string) => ({ ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }), kid });
const [a, b] = [jwk('a'), jwk('b')];
const header = (kid: string) => ({ alg: 'EdDSA', kid });

const MAX_AGE = 600_000;
const COOLDOWN = 30_000;

let served: object[] | Error;
const fetch = vi.fn<FetchKeySet>(async () => {
  if (served instanceof Error) throw served;
  return { keys: served };
});
const events = {
  unavailable: vi.fn<KeySetEvents['unavailable']>(),
  recovered: vi.fn<KeySetEvents['recovered']>(),
};
let keys: RemoteKeys;

beforeEach(() => {
  vi.useFakeTimers();
  vi.clearAllMocks();
  served = [a];
  const clock = { now: () => performance.now(), wall: () => Date.now() };
  keys = new RemoteKeys({ source: 's', fetch, cooldownMs: COOLDOWN, maxAgeMs: MAX_AGE }, events, clock);
});
afterEach(() => {
  keys.retire();
  vi.useRealTimers();
});

const kidOf = async (kid: string) => (await keys.keyFor(header(kid)))?.kid;

describe('remote keys', () => {
  it('are fetched as soon as a document with them is in force', async () => {
    keys.inForce();
    keys.inForce();
    await vi.advanceTimersByTimeAsync(0);
    expect(fetch).toHaveBeenCalledTimes(1);
    expect(keys.keyFor(header('a'))).toMatchObject({ kid: 'a' });
    keys.inForce();
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  it('are fetched by the first token otherwise, once for all that wait', async () => {
    expect(await Promise.all(['a', 'a', 'x'].map(kidOf))).toEqual(['a', 'a', undefined]);
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  it('are fetched again at their age, asked for or not', async () => {
    await kidOf('a');
    const first = await keys.keyFor(header('a'));
    await vi.advanceTimersByTimeAsync(MAX_AGE - 1);
    expect(fetch).toHaveBeenCalledTimes(1);
    served = [b];
    await vi.advanceTimersByTimeAsync(1);
    expect(fetch).toHaveBeenCalledTimes(2);
    expect(first!.live).toBe(false);
    expect(keys.keyFor(header('b'))).toMatchObject({ kid: 'b', live: true });
  });

  it('that stay are the same objects, and live', async () => {
    const before = (await keys.keyFor(header('a')))!;
    served = [b, a];
    await vi.advanceTimersByTimeAsync(MAX_AGE);
    expect(keys.keyFor(header('a'))).toBe(before);
    expect(before.live).toBe(true);
  });

  it('that come back with other bytes are other keys', async () => {
    const before = (await keys.keyFor(header('a')))!;
    served = [jwk('a')];
    await vi.advanceTimersByTimeAsync(MAX_AGE);
    expect([before.live, await keys.keyFor(header('a'))]).toEqual([
      false,
      expect.not.objectContaining(before),
    ]);
  });

  it('not known are asked for at once, then once a cooldown', async () => {
    await kidOf('a');
    served = [a, b];
    expect(await kidOf('b')).toBe('b');
    expect([await kidOf('c'), await kidOf('d')]).toEqual([undefined, undefined]);
    expect(fetch).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(COOLDOWN);
    expect(await Promise.all([kidOf('c'), kidOf('d')])).toEqual([undefined, undefined]);
    expect(fetch).toHaveBeenCalledTimes(3);
  });

  it('known serve on without waiting while they can’t be fetched', async () => {
    await kidOf('a');
    served = new Error('down');
    await vi.advanceTimersByTimeAsync(MAX_AGE + 10_000);
    expect(keys.keyFor(header('a'))).toMatchObject({ kid: 'a', live: true });
    expect(fetch).toHaveBeenCalledTimes(7);
    expect(events.unavailable.mock.calls).toEqual([['s', served, 1]]);
    served = [b];
    await vi.advanceTimersByTimeAsync(2_000);
    expect(events.recovered.mock.calls).toEqual([['s']]);
    expect(keys.keyFor(header('b'))).toMatchObject({ kid: 'b' });
  });

  it('never known are asked for again after a pause, by nobody before', async () => {
    served = new Error('down');
    expect(await kidOf('a')).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1_999);
    expect(keys.keyFor(header('a'))).toBeNull();
    expect(fetch).toHaveBeenCalledTimes(1);
    served = [a];
    await vi.advanceTimersByTimeAsync(1);
    expect(keys.keyFor(header('a'))).toMatchObject({ kid: 'a' });
    expect(events.unavailable.mock.calls).toEqual([['s', expect.any(Error), 0]]);
    expect(events.recovered).toHaveBeenCalledTimes(1);
  });

  it('none at all are a set, too: the issuer took all back', async () => {
    const before = (await keys.keyFor(header('a')))!;
    served = [];
    await vi.advanceTimersByTimeAsync(MAX_AGE);
    expect([before.live, keys.keyFor(header('a'))]).toEqual([false, expect.any(Promise)]);
    expect(events.unavailable).not.toHaveBeenCalled();
  });

  it('of no document are fetched no more, and a fetch under way is said nothing of', async () => {
    await kidOf('a');
    keys.retire();
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(3 * MAX_AGE);
    expect(fetch).toHaveBeenCalledTimes(1);
    served = new Error('down');
    expect(await kidOf('b')).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
    expect(events.unavailable).not.toHaveBeenCalled();
  });
});
