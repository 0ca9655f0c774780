import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { silentEvents } from './upstream-events.fixture.js';
import { systemClock } from '../common/clock.js';
import { GatewayConfig } from '../config/gateway.config.js';
import { type BackendConfig, ConnectionConfig, UpstreamConfig } from '../config/upstream.config.js';
import type { Upstream } from '../exchange/upstream.js';
import { exchangeFrom } from './balancing/balancer.contract.js';
import { BackendConnectionPool } from './connection/connection-pool.js';
import { upstreamStatus } from './status.js';
import { UpstreamRegistry } from './upstream-registry.js';

type Written = Partial<Omit<UpstreamConfig, 'backends'>> & { backends: (string | Partial<BackendConfig>)[] };

function documentOf(upstreams: Record<string, Written>): GatewayConfig {
  const entries = Object.entries(upstreams).map(([name, { backends, ...rest }]) => {
    const written = backends.map((one) => ({
      id: null,
      weight: 1,
      ...(typeof one === 'string' ? { url: one } : one),
    }));
    return [name, Object.assign(new UpstreamConfig(), { ...rest, backends: written })] as const;
  });
  return Object.assign(new GatewayConfig(), { upstreams: Object.fromEntries(entries) });
}

const anybody = exchangeFrom('127.0.0.1');
const A = 'http://localhost:8081';
const B = 'http://localhost:8082';

describe('upstream registry', () => {
  let registry: UpstreamRegistry;
  let closed: BackendConnectionPool[];

  beforeEach(() => {
    registry = new UpstreamRegistry(systemClock, silentEvents);
    closed = [];
    vi.spyOn(BackendConnectionPool.prototype, 'close').mockImplementation(function (
      this: BackendConnectionPool,
    ) {
      closed.push(this);
    });
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  function apply(upstreams: Record<string, Written>): (name: string) => Upstream {
    const set = registry.compile(documentOf(upstreams));
    set.commit();
    return (name) => set.upstreams.get(name)!;
  }

  describe('backends', () => {
    const compiled = (backend: string | Partial<BackendConfig>) =>
      apply({ u: { backends: [backend] } })('u').backends[0]!;

    it.each([
      ['http://localhost:8081', 'http://localhost:8081', 'http://localhost:8081', ''],
      ['HTTP://LocalHost:80/', 'http://localhost', 'http://localhost', ''],
      ['https://api.example:443/base/', 'https://api.example/base', 'https://api.example', '/base'],
      ['http://h/a%2Fb//', 'http://h/a%2Fb', 'http://h', '/a%2Fb'],
      ['http://[::1]:9002/v1', 'http://[::1]:9002/v1', 'http://[::1]:9002', '/v1'],
    ])('takes %s apart', (url, id, origin, basePath) => {
      const backend = compiled(url);
      expect(backend).toMatchObject({ id, url, basePath, upstream: 'u', weight: 1 });
      expect(backend.origin.origin).toBe(origin);
    });

    it('keeps an id that was written', () => {
      expect(compiled({ id: 'blue', url: A }).id).toBe('blue');
    });

    it('tells the same url written twice apart', () => {
      const { backends } = apply({ u: { backends: [A, `${A}/`, A] } })('u');
      expect(backends.map(({ id }) => id)).toEqual([A, `${A}#2`, `${A}#3`]);
      expect(new Set(backends.map(({ state }) => state)).size).toBe(3);
    });

    it('start healthy, each upstream with a state and a pool of its own', () => {
      const upstream = apply({ u: { backends: [A] }, v: { backends: [A] } });
      const [u, v] = [upstream('u').backends[0]!, upstream('v').backends[0]!];
      expect(u.state).toEqual({ healthy: true, inFlight: 0, draining: false, servingSince: 0 });
      expect(v.state).not.toBe(u.state);
      expect(v.pool).not.toBe(u.pool);
    });
  });

  describe('choice', () => {
    it('is null at once when none is healthy', () => {
      const upstream = apply({ one: { backends: [A] }, two: { backends: [A, B] } });
      for (const name of ['one', 'two']) {
        for (const backend of upstream(name).backends) backend.state.healthy = false;
        expect(upstream(name).pick(anybody, null)).toBeNull();
      }
    });

    it('does not try the only backend twice', () => {
      const one = apply({ one: { backends: [A] } })('one');
      const backend = one.pick(anybody, null)!;
      expect(backend.url).toBe(A);
      expect(one.pick(anybody, new Set([backend]))).toBeNull();
    });

    it('leaves out a backend of weight 0', () => {
      const u = apply({ u: { backends: [{ url: A, weight: 0 }, B] } })('u');
      expect(Array.from({ length: 4 }, () => u.pick(anybody, null)!.url)).toEqual([B, B, B, B]);
    });

    it('refuses an algorithm that does not exist', () => {
      const config = documentOf({ u: { backends: [A], balancing: 'roulette' as 'random' } });
      expect(() => registry.compile(config)).toThrow(/unknown algorithm roulette/);
    });
  });

  describe('over a reload', () => {
    it('keeps an upstream that did not change as it is', () => {
      const before = apply({ u: { backends: [A, B] } })('u');
      expect(apply({ u: { backends: [A, B] }, v: { backends: [A] } })('u')).toBe(before);
      expect(closed).toEqual([]);
    });

    it('keeps state and sockets by id, and the turn', () => {
      const before = apply({ u: { backends: [A, B] } })('u');
      before.backends[1]!.state.healthy = false;
      before.backends[1]!.state.inFlight = 3;
      expect(before.pick(anybody, null)!.url).toBe(A);
      before.backends[1]!.state.healthy = true;
      const after = apply({ u: { backends: ['http://new', A, { url: B, weight: 2 }], critical: true } })('u');
      expect(after).not.toBe(before);
      expect(after.backends[2]!.state).toBe(before.backends[1]!.state);
      expect(after.backends[2]!.pool).toBe(before.backends[1]!.pool);
      expect(after.backends[2]!.weight).toBe(2);
      expect(after.pick(anybody, null)!.url).toBe(B);
      expect(closed).toEqual([]);
    });

    it('starts a backend anew that had been removed', () => {
      const before = apply({ u: { backends: [A, B] } })('u');
      before.backends[1]!.state.healthy = false;
      apply({ u: { backends: [A] } });
      expect(closed).toEqual([before.backends[1]!.pool]);
      expect(apply({ u: { backends: [A, B] } })('u').backends[1]!.state.healthy).toBe(true);
    });

    it('makes new sockets, but no new state, for another url or connection', () => {
      const before = apply({ u: { backends: [{ id: 'x', url: A }] } })('u').backends[0]!;
      const moved = apply({ u: { backends: [{ id: 'x', url: B }] } })('u').backends[0]!;
      expect(moved.state).toBe(before.state);
      expect(moved.pool).not.toBe(before.pool);
      expect(closed).toEqual([before.pool]);
      const connection = Object.assign(new ConnectionConfig(), { max_connections: 7 });
      const tuned = apply({ u: { backends: [{ id: 'x', url: B }], connection } })('u').backends[0]!;
      expect(tuned.pool).not.toBe(moved.pool);
      expect(closed).toEqual([before.pool, moved.pool]);
    });

    it('closes the sockets of a removed upstream', () => {
      const upstream = apply({ u: { backends: [A] }, v: { backends: [B] } });
      apply({ u: { backends: [A] } });
      expect(closed).toEqual([upstream('v').backends[0]!.pool]);
    });

    it('has no effect when it fails', () => {
      const before = apply({ u: { backends: [A, B] } })('u');
      const failed = registry.compile(documentOf({ u: { backends: [B, 'http://new'] } }));
      expect(closed).toEqual([]);
      failed.discard();
      expect(closed).toEqual([failed.upstreams.get('u')!.backends[1]!.pool]);
      expect(apply({ u: { backends: [A, B] } })('u')).toBe(before);
    });

    it('does not retire anything before it is committed', () => {
      apply({ u: { backends: [A] } });
      const next = registry.compile(documentOf({}));
      expect(closed).toHaveLength(0);
      next.commit();
      expect(closed).toHaveLength(1);
    });

    it('refuses to commit what was compiled beside others', () => {
      const first = registry.compile(documentOf({ u: { backends: [A] } }));
      const second = registry.compile(documentOf({ u: { backends: [A] } }));
      first.commit();
      expect(() => second.commit()).toThrow(/others than those in force/);
    });
  });

  it('closes all sockets at the end', () => {
    const u = apply({ u: { backends: [A, B] } })('u');
    registry.onApplicationShutdown();
    expect(closed).toEqual(u.backends.map(({ pool }) => pool));
  });

  it('shows its status as plain data', () => {
    const u = apply({ u: { backends: [A, { id: 'b', url: B, weight: 3 }] } })('u');
    u.backends[0]!.state.healthy = false;
    u.backends[1]!.state.inFlight = 2;
    const backend = { weight: 1, healthy: false, state: 'active', in_flight: 0, circuit: 'closed' };
    expect(upstreamStatus([u])).toEqual([
      {
        name: 'u',
        balancing: 'round_robin',
        backends: [
          { ...backend, id: A, url: A },
          { ...backend, id: 'b', url: B, weight: 3, healthy: true, in_flight: 2 },
        ],
      },
    ]);
  });
});
