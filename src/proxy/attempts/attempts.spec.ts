import { describe, expect, it } from 'vitest';

import { Exchange } from '../../exchange/exchange.js';
import { Refusal } from '../../exchange/refusal.js';
import type { Backend, TriedBackends, Upstream, WaitingExchange } from '../../exchange/upstream.js';
import { ResponseTimeoutError } from '../upstream-fault.js';
import { Attempts, type AttemptsOwner, type FailedAttempt } from './attempts.js';
import type { RetryPolicy } from './retry-policy.js';

const RESET = new Error('reset');

interface Stage {
  readonly backends: readonly string[];
  readonly method?: string;
  readonly bodyless?: boolean;
  readonly repeatable?: boolean;
  readonly headDueAt?: number;
  readonly retry?: Partial<RetryPolicy> | null;
  /** Places in the line for full backends. */
  readonly line?: number;
  /** Those that are full from the start. */
  readonly full?: readonly string[];
}

/** Everything around the attempts of one exchange, at the moment that `now` says. */
function stage({ backends: names, retry: policy = {}, ...rest }: Stage) {
  const backends = names.map(
    (id) => ({ id, breaker: null, maxInFlight: 0, state: { inFlight: 0 } }) as Backend,
  );
  const seen = {
    now: 1_000,
    sent: [] as string[],
    pausedUntil: 0,
    refused: '',
    retried: [] as string[],
    logged: 0,
  };
  const [full, poolless] = [new Set(rest.full), new Set<string>()];
  const waiting: WaitingExchange[] = [];
  const open = (tried: TriedBackends | null) => backends.filter((backend) => !tried?.has(backend));
  const upstream = {
    pick: (_: Exchange, tried: TriedBackends | null) => open(tried).find(({ id }) => !full.has(id)) ?? null,
    refusal: () => new Refusal('no_healthy_backend'),
    isFull: (tried: TriedBackends | null) => (rest.line ?? 0) > 0 && open(tried).length > 0,
    join: (one: WaitingExchange) => {
      if (waiting.length >= (rest.line ?? 0)) return waiting.includes(one);
      return waiting.push(one) > 0;
    },
    leave: (one: WaitingExchange) => void waiting.splice(waiting.indexOf(one), 1),
    queueMs: 500,
  } as Partial<Upstream> as Upstream;
  const head = { method: rest.method ?? 'GET' } as Exchange['head'];
  const owner: AttemptsOwner = {
    exchange: new Exchange('id', 0, head),
    send: ({ id }, fresh) => {
      if (poolless.has(id)) return false;
      return seen.sent.push(fresh ? `${id} fresh` : id) > 0;
    },
    repeatable: rest.repeatable ?? true,
    bodyless: rest.bodyless ?? true,
    headDueAt: rest.headDueAt ?? 31_000,
    pauseUntil: (at) => void (seen.pausedUntil = at),
    refuse: (refusal) => {
      seen.refused = refusal.reason;
      attempts.cancel();
    },
  };
  const retry = policy && {
    attempts: 3,
    maxBody: 0,
    repeats: (method: string) => method === 'GET',
    retries: (status: number) => status === 503,
    backoffMs: (failed: number) => failed * 100,
    budget: { request: () => {}, take: () => true },
    ...policy,
  };
  const host = {
    clock: { now: () => seen.now, wall: () => 0 },
    log: { upstreamRequestFailed: () => void seen.logged++ } as never,
    retries: { retried: (_: Exchange, reason: string) => void seen.retried.push(reason) } as never,
  };
  const attempts: Attempts = new Attempts(owner, upstream, retry, host);
  const backend = (id: string): Backend => backends.find((one) => one.id === id)!;
  const fail = (id: string, how: Partial<FailedAttempt> = {}, cause: Error = RESET): void =>
    attempts.failed(
      { backend: backend(id), started: true, answering: false, wasReused: false, ...how },
      cause,
    );
  const answer = (id: string, status: number, headers: Record<string, string> = {}): boolean => {
    const fields = Object.entries(headers).flat();
    const framing = { connection: null, transferEncoding: null, contentLength: -1 };
    return attempts.triedAgain(backend(id), { status, statusText: '', fields, ...framing });
  };
  /** Somebody else has the only place at a backend. */
  const take = (id: string): void => {
    full.add(id);
    Object.assign(backend(id), { maxInFlight: 1, state: { inFlight: 1 } });
  };
  attempts.begin();
  return { seen, attempts, owner, fail, answer, full, take, poolless, waiting };
}

const UNSENT = { started: false };

describe('a connection that is refused', () => {
  it('leads to the next backend at once, whatever the method, with no retry', () => {
    const { seen, fail, owner } = stage({ backends: ['a', 'b'], method: 'POST', retry: null });
    fail('a', UNSENT);
    expect(seen).toMatchObject({ sent: ['a', 'b'], refused: '', retried: [], logged: 1 });
    expect(owner.exchange.attempts).toBe(2);
    fail('b', UNSENT);
    expect(seen.refused).toBe('upstream_unavailable');
  });

  it('by all is tried again later, whatever the method, as nothing was sent', () => {
    const { seen, fail, attempts } = stage({ backends: ['a', 'b'], method: 'POST' });
    fail('a', UNSENT);
    fail('b', UNSENT);
    expect(seen).toMatchObject({ pausedUntil: 1_100, refused: '', retried: ['upstream_unavailable'] });
    attempts.resume();
    expect(seen.sent).toEqual(['a', 'b', 'a']);
  });

  it('after something was sent needs the method', () => {
    const { seen, fail } = stage({ backends: ['a'], method: 'PUT' });
    fail('a', { wasReused: true });
    fail('a', UNSENT);
    expect(seen).toMatchObject({ sent: ['a', 'a fresh'], refused: 'upstream_unavailable', retried: [] });
  });
});

describe('a failure after something was sent', () => {
  it.each([
    ['no policy', { retry: null }],
    ['a method that is not listed', { method: 'PUT' }],
    ['a body that is gone', { repeatable: false }],
    ['a budget that is used up', { retry: { budget: { request: () => {}, take: () => false } } }],
    ['no further try', { retry: { attempts: 1 } }],
    ['no time', { headDueAt: 1_140 }],
  ])('is the answer with %s', (_, how) => {
    const { seen, fail, answer } = stage({ backends: ['a', 'b'], ...how });
    expect(answer('a', 503)).toBe(false);
    fail('a');
    expect(seen).toMatchObject({ sent: ['a'], refused: 'upstream_unavailable', retried: [], pausedUntil: 0 });
  });

  it('leads to another backend after the backoff, then to the same again', () => {
    const { seen, fail, answer, attempts } = stage({ backends: ['a', 'b'], retry: { attempts: 4 } });
    fail('a', {}, new ResponseTimeoutError());
    expect(seen).toMatchObject({ sent: ['a'], pausedUntil: 1_100 });
    attempts.resume();
    expect(answer('b', 503)).toBe(true);
    expect(seen).toMatchObject({ sent: ['a', 'b'], pausedUntil: 1_200 });
    attempts.resume();
    fail('a');
    attempts.resume();
    expect(seen.sent).toEqual(['a', 'b', 'a', 'b']);
    expect(answer('b', 503)).toBe(false);
    expect(seen.retried).toEqual(['upstream_timeout', '503', 'upstream_unavailable']);
  });

  it('does not take from the budget what time does not allow', () => {
    let taken = 0;
    const budget = { request: () => {}, take: () => ++taken > 0 };
    const { answer } = stage({ backends: ['a'], retry: { budget } });
    expect(answer('a', 503, { 'retry-after': '60' })).toBe(false);
    expect([answer('a', 404), taken]).toEqual([false, 0]);
    expect([answer('a', 503), taken]).toEqual([true, 1]);
  });

  it('waits as long as the upstream asks, where that is longer than the backoff', () => {
    const { seen, answer } = stage({ backends: ['a'] });
    expect(answer('a', 503, { 'retry-after': '7' })).toBe(true);
    expect(seen.pausedUntil).toBe(8_000);
    const other = stage({ backends: ['a'], retry: { backoffMs: () => 9_000 } });
    other.answer('a', 503, { 'retry-after': '7' });
    expect(other.seen.pausedUntil).toBe(10_000);
  });

  it('of the client is nobody else’s', () => {
    const { seen, fail } = stage({ backends: ['a', 'b'] });
    fail('a', {}, new Refusal('payload_too_large'));
    expect(seen).toMatchObject({ refused: 'payload_too_large', logged: 0, sent: ['a'] });
  });

  it('is over with the exchange: a pause leads nowhere then', () => {
    const { seen, fail, attempts } = stage({ backends: ['a', 'b'] });
    fail('a');
    attempts.cancel();
    expect(seen.sent).toEqual(['a']);
  });
});

describe('the keep-alive race', () => {
  const raced = { wasReused: true };

  it('is repeated once on a fresh socket, with no policy and not as a retry', () => {
    const { seen, fail } = stage({ backends: ['a', 'b'], method: 'DELETE', retry: null });
    fail('a', raced);
    expect(seen).toMatchObject({ sent: ['a', 'a fresh'], logged: 0, retried: [] });
    fail('a', raced);
    expect(seen).toMatchObject({ refused: 'upstream_unavailable', logged: 1 });
  });

  it.each([
    ['POST', { method: 'POST' }, {}],
    ['a body', { bodyless: false }, {}],
    ['an answer begun', {}, { answering: true }],
    ['a new socket', {}, { wasReused: false }],
  ])('is none with %s', (_, how, attempt) => {
    const { seen, fail } = stage({ backends: ['a'], retry: null, ...how });
    fail('a', { ...raced, ...attempt });
    expect(seen).toMatchObject({ sent: ['a'], refused: 'upstream_unavailable' });
  });

  it('nor is it a response that takes too long', () => {
    const { seen, fail } = stage({ backends: ['a'], retry: null });
    fail('a', raced, new ResponseTimeoutError());
    expect(seen).toMatchObject({ sent: ['a'], refused: 'upstream_timeout' });
  });
});

describe('full backends', () => {
  it('are waited for in the line, then tried', () => {
    const { seen, attempts, full, waiting } = stage({ backends: ['a'], line: 1, full: ['a'] });
    expect([seen.sent, seen.pausedUntil, waiting.length]).toEqual([[], 1_500, 1]);
    expect(attempts.offered()).toBe(false);
    full.delete('a');
    expect(attempts.offered()).toBe(true);
    expect([seen.sent, seen.retried]).toEqual([['a'], []]);
  });

  it('are an answer where there is no line', () => {
    const { seen } = stage({ backends: ['a'], full: ['a'] });
    expect([seen.sent, seen.refused]).toEqual([[], 'no_healthy_backend']);
  });

  it('the keep-alive race leaves its place to who has it now', () => {
    const { seen, fail, take, waiting } = stage({ backends: ['a', 'b'], line: 1 });
    take('a');
    fail('a', { wasReused: true });
    expect([seen.sent, waiting.length]).toEqual([['a', 'b'], 0]);
  });

  it('a place whose pool is full leads back into the line, not out of it', () => {
    const { seen, fail, attempts, full, poolless, waiting } = stage({ backends: ['a', 'b', 'c'], line: 1 });
    for (const id of ['b', 'c']) full.add(id);
    fail('a', UNSENT);
    expect([seen.pausedUntil, waiting.length]).toEqual([1_500, 1]);
    full.delete('b');
    poolless.add('b');
    expect(attempts.offered()).toBe(false);
    expect(waiting).toHaveLength(1);
    full.delete('c');
    expect(attempts.offered()).toBe(true);
    expect(seen.sent).toEqual(['a', 'c']);
  });

  it('end the wait with a refusal, out of the line', () => {
    const { seen, fail, attempts, full, waiting } = stage({ backends: ['a', 'b'], line: 1 });
    full.add('b');
    fail('a', UNSENT);
    attempts.resume();
    expect([seen.refused, waiting.length]).toEqual(['upstream_unavailable', 0]);
  });
});
