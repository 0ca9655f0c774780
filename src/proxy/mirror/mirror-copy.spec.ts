import { describe, expect, it } from 'vitest';

import type { RouteConfig } from '../../config/route.config.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { MirrorResult } from '../../exchange/telemetry.js';
import type { Backend, PooledHandler, Upstream } from '../../exchange/upstream.js';
import { Deadlines } from '../deadlines.js';
import type { ScannedHead } from '../request-head.js';
import { MirrorCounts } from './mirror-counts.js';
import { MirrorPlan } from './mirror-plan.js';
import { MOST_COPIES, Mirrors } from './mirrors.js';

interface Dispatched {
  readonly options: { readonly path: string; readonly method: string; readonly body: Buffer | null };
  readonly handler: PooledHandler;
}

const CONFIG = { percent: 100, max_body: '10b' as const };

/** A mirror whose backend keeps what it is given. */
function scene(config: object = {}, random = (): number => 0) {
  const dispatched: Dispatched[] = [];
  const clock = { time: 1_000, now: () => clock.time, wall: () => 0 };
  const deadlines = new Deadlines(clock);
  const log: object[] = [];
  const counts = new MirrorCounts();
  const line = { debug: (fields: object) => void log.push(fields) };
  const mirrors = new Mirrors(deadlines, line as never, counts);
  const backend = backendOf(dispatched);
  const upstream = { name: 'shadow', hostHeader: 'preserve', pick: () => backend } as unknown as Upstream;
  const route = { timeout: '5s', mirror: { ...CONFIG, ...config } } as unknown as RouteConfig;
  const plan = new MirrorPlan(route, upstream, mirrors, random);
  const results = (): Record<string, number> =>
    Object.fromEntries([...counts.mirroredCounts()].map(({ result, count }) => [result, count]));
  return { plan, mirrors, dispatched, deadlines, clock, log, upstream, backend, results };
}

function backendOf(dispatched: Dispatched[]): Backend {
  const state = { inFlight: 0 };
  return {
    url: 'http://shadow',
    upstream: 'shadow',
    basePath: '/base',
    state,
    pool: {
      dispatch: (options: never, handler: never) => dispatched.push({ options, handler }) > 0,
      cancel: () => true,
    },
    begin: () => (state.inFlight++, null),
    end: () => void state.inFlight--,
  } as unknown as Backend;
}

function originalOf(head: object = {}, attempts = 0) {
  const exchange = { id: '1', attempts, target: null, route: { id: 'r', path: '/r' } } as unknown as Exchange;
  const scanned = { method: 'POST', contentLength: -1, hasBody: false, host: 'h', ...head } as ScannedHead;
  return { exchange, head: scanned, path: '/x?y', lines: ['A', 'b'] };
}

const WITH_BODY = { hasBody: true };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a copy', () => {
  it('begins once the original was forwarded, not while its bytes are being written', async () => {
    const { plan, dispatched, backend } = scene();
    const copy = plan.copyOf(originalOf())!;
    await turn();
    expect(dispatched).toEqual([]);
    copy.originalForwarded();
    expect(dispatched).toEqual([]);
    await turn();
    expect(dispatched[0]!.options).toMatchObject({ path: '/base/x?y', method: 'POST', body: null });
    expect(dispatched[0]!.handler.lines).toEqual(['A', 'b', 'X-Gateway-Mirror', '1']);
    expect(backend.state.inFlight).toBe(1);
  });

  it('begins when the body is whole, with bytes of its own', async () => {
    const { plan, dispatched } = scene();
    const copy = plan.copyOf(originalOf({ ...WITH_BODY, contentLength: 6 }))!;
    const piece = Buffer.from('abc');
    copy.originalForwarded();
    copy.bodyPiece(piece);
    piece.fill('x');
    copy.bodyPiece(Buffer.from('def'));
    await turn();
    expect(dispatched).toEqual([]);
    copy.bodyEnded();
    await turn();
    expect(String(dispatched[0]!.options.body)).toBe('abcdef');
  });

  it('of a retried exchange is sent once', async () => {
    const { plan, dispatched } = scene();
    const copy = plan.copyOf(originalOf(WITH_BODY))!;
    copy.originalForwarded();
    copy.bodyPiece(Buffer.from('abc'));
    copy.originalForwarded();
    copy.bodyEnded();
    copy.originalForwarded();
    copy.bodyEnded();
    await turn();
    expect(dispatched).toHaveLength(1);
    expect(plan.copyOf(originalOf({}, 1))).toBeNull();
  });

  it.each<[string, (copy: NonNullable<ReturnType<MirrorPlan['copyOf']>>) => void]>([
    ['of more than max_body', (copy) => (copy.bodyPiece(Buffer.alloc(11)), copy.bodyEnded())],
    ['that the client broke off', (copy) => (copy.bodyPiece(Buffer.alloc(3)), copy.originalEnded())],
    ['that is shorter than announced', (copy) => (copy.bodyPiece(Buffer.alloc(3)), copy.bodyEnded())],
  ])('with a body %s is not sent, and gives its place back', async (_, run) => {
    const { plan, mirrors, dispatched, results } = scene();
    for (let round = 0; round < 2 * MOST_COPIES; round++) {
      const copy = plan.copyOf(originalOf({ ...WITH_BODY, contentLength: 4 }))!;
      copy.originalForwarded();
      run(copy);
    }
    await turn();
    expect([dispatched.length, results()]).toEqual([0, {}]);
    mirrors.onModuleDestroy();
  });

  it('with a body announced too long is never begun', () => {
    const { plan } = scene();
    expect(plan.copyOf(originalOf({ ...WITH_BODY, contentLength: 11 }))).toBeNull();
    expect(plan.copyOf(originalOf({ ...WITH_BODY, contentLength: 10 }))).not.toBeNull();
  });

  it('goes on when the original has ended, up to its own time', async () => {
    const { plan, dispatched, deadlines, clock, results, backend, log } = scene();
    const copy = plan.copyOf(originalOf())!;
    copy.originalForwarded();
    copy.originalEnded();
    await turn();
    expect(dispatched).toHaveLength(1);
    clock.time += 4_999;
    deadlines.sweep();
    expect([results(), backend.state.inFlight]).toEqual([{}, 1]);
    clock.time += 1;
    deadlines.sweep();
    expect(results()).toEqual({ sent: 0, failed: 1, dropped: 0 });
    expect(backend.state.inFlight).toBe(0);
    expect(log).toMatchObject([
      { request_id: '1', route: 'r', upstream: 'shadow', backend: 'http://shadow' },
    ]);
  });

  it('that no backend takes is dropped', async () => {
    const { plan, upstream, results } = scene();
    Object.assign(upstream, { pick: () => null });
    plan.copyOf(originalOf())!.originalForwarded();
    await turn();
    expect(results()).toEqual({ sent: 0, failed: 0, dropped: 1 });
  });

  it('throws nothing at the event loop', async () => {
    const { plan, upstream, results } = scene();
    const pick = (): never => {
      throw new Error('a fault');
    };
    Object.assign(upstream, { pick });
    plan.copyOf(originalOf())!.originalForwarded();
    await turn();
    expect(results()).toEqual({ sent: 0, failed: 1, dropped: 0 });
  });
});

describe('the bound', () => {
  it('drops what is too much, and takes more as places come back', async () => {
    const { plan, dispatched, results } = scene();
    const send = (): void => plan.copyOf(originalOf())!.originalForwarded();
    for (let at = 0; at < MOST_COPIES; at++) send();
    const uploading = plan.copyOf(originalOf(WITH_BODY))!;
    uploading.originalForwarded();
    uploading.bodyPiece(Buffer.from('a'));
    uploading.bodyPiece(Buffer.from('b'));
    uploading.bodyEnded();
    send();
    await turn();
    expect([dispatched.length, results()]).toEqual([MOST_COPIES, { sent: 0, failed: 0, dropped: 2 }]);
    dispatched[0]!.handler.responseEnded(null);
    expect(results()).toMatchObject({ sent: 1 });
    send();
    await turn();
    expect([dispatched.length, results()]).toMatchObject([MOST_COPIES + 1, { dropped: 2 }]);
  });

  it('holds bodies that are still coming, and a stop forgets all', async () => {
    const { plan, mirrors, dispatched, backend, results } = scene();
    const uploads = Array.from({ length: MOST_COPIES }, () => plan.copyOf(originalOf(WITH_BODY))!);
    for (const copy of uploads) copy.bodyPiece(Buffer.from('a'));
    plan.copyOf(originalOf())!.originalForwarded();
    expect(results()).toMatchObject({ dropped: 1 });
    uploads[0]!.originalForwarded();
    uploads[0]!.bodyEnded();
    await turn();
    expect(backend.state.inFlight).toBe(1);
    mirrors.onModuleDestroy();
    expect(backend.state.inFlight).toBe(0);
    uploads[1]!.originalForwarded();
    uploads[1]!.bodyEnded();
    plan.copyOf(originalOf())!.originalForwarded();
    await turn();
    expect(dispatched).toHaveLength(1);
  });
});

describe('percent', () => {
  it.each([
    [0, 0],
    [12.5, 125],
    [100, 1_000],
  ])('%d copies %d of 1,000', (percent, copied) => {
    let drawn = 0;
    const { plan } = scene({ percent }, () => (drawn++ % 1_000) / 1_000);
    const copies = Array.from({ length: 1_000 }, () => plan.copyOf(originalOf()));
    expect(copies.filter((copy) => copy !== null)).toHaveLength(copied);
  });
});

describe('the counts', () => {
  it('of a removed path go, and do not come back with a late end', () => {
    const counts = new MirrorCounts();
    const seen = (): [string, MirrorResult, number][] =>
      [...counts.mirroredCounts()].map(({ path, result, count }) => [path, result, count]);
    counts.applied({ routes: [{ path: '/a' }, { path: '/b' }] as never });
    counts.count('/a', 'sent');
    counts.count('/b', 'failed');
    counts.applied({ routes: [{ path: '/b' }] as never });
    counts.count('/a', 'sent');
    expect(seen()).toEqual([
      ['/b', 'sent', 0],
      ['/b', 'failed', 1],
      ['/b', 'dropped', 0],
    ]);
  });
});
