import { beforeEach, describe, expect, it, vi } from 'vitest';

import { systemClock } from '../../common/clock.js';
import { GatewayConfig } from '../../config/gateway.config.js';
import { CircuitBreakerConfig, DiscoveryConfig, UpstreamConfig } from '../../config/upstream.config.js';
import { exchangeFrom } from '../balancing/balancer.contract.js';
import { BackendConnectionPool } from '../connection/connection-pool.js';
import { silentEvents } from '../upstream-events.fixture.js';
import { UpstreamRegistry } from '../upstream-registry.js';
import type { DiscoveryListener, Sought } from './discovery.js';

type Written = Partial<Omit<UpstreamConfig, 'backends'>> & { backends?: object[] };

const URL = 'http://api.test:8080';
const anybody = exchangeFrom('10.0.0.9');

/** A source that finds what a test says. */
class FakeDiscovery {
  readonly followed = new Map<string, DiscoveryListener>();
  begun = 0;

  readonly open = () => ({
    follow: ({ name, port }: Sought, listener: DiscoveryListener) => {
      const key = `${name}:${port}`;
      if (this.followed.has(key)) throw new Error(`${key} is followed already`);
      this.followed.set(key, listener);
      this.begun++;
      return { stop: () => void this.followed.delete(key) };
    },
  });

  find(...addresses: (string | [address: string, weight: number])[]): void {
    const servers = addresses.map((one) => {
      const [address, weight] = typeof one === 'string' ? [one, 1] : one;
      return { address, port: 8080, weight };
    });
    this.followed.get('api.test:8080')!.found(servers, null);
  }
}

describe('an upstream with discovery', () => {
  let discovery: FakeDiscovery;
  let registry: UpstreamRegistry;
  let closed: BackendConnectionPool[];
  let told: number;

  beforeEach(() => {
    discovery = new FakeDiscovery();
    registry = new UpstreamRegistry(systemClock, silentEvents, discovery.open);
    [closed, told] = [[], 0];
    registry.watch(() => told++);
    vi.spyOn(BackendConnectionPool.prototype, 'close').mockImplementation(function (
      this: BackendConnectionPool,
    ) {
      closed.push(this);
    });
    return () => vi.restoreAllMocks();
  });

  function compile(written: Written = {}, rest: Record<string, Written> = {}) {
    const upstreams = Object.entries({ u: written, ...rest }).map(
      ([name, { backends = [{ url: URL }], ...keys }]) => [
        name,
        Object.assign(new UpstreamConfig(), {
          discovery: new DiscoveryConfig(),
          ...keys,
          backends: backends.map((backend) => ({ id: null, weight: 1, ...backend })),
        }),
      ],
    );
    return registry.compile(Object.assign(new GatewayConfig(), { upstreams: Object.fromEntries(upstreams) }));
  }

  function apply(written: Written = {}, rest: Record<string, Written> = {}) {
    const compiled = compile(written, rest);
    compiled.commit();
    return compiled.upstreams.get('u')!;
  }

  const ids = (upstream = apply()) => upstream.backends.map(({ id }) => id);

  it('has no backends until there are addresses', () => {
    const u = apply();
    expect(u.backends).toEqual([]);
    expect([u.pick(anybody, null), u.refusal().reason]).toEqual([null, 'no_healthy_backend']);
    discovery.find('10.0.0.1');
    expect(u.pick(anybody, null)!.id).toBe(`${URL}@10.0.0.1:8080`);
    expect(told).toBe(1);
  });

  it('is ready once all names were looked up', async () => {
    const compiled = compile();
    let ready = false;
    const waiting = compiled.ready().then(() => (ready = true));
    await Promise.resolve();
    expect(ready).toBe(false);
    discovery.find('10.0.0.1', '::1');
    await waiting;
    expect(told).toBe(0);
    compiled.commit();
    expect(ids(compiled.upstreams.get('u') as never)).toEqual([`${URL}@10.0.0.1:8080`, `${URL}@[::1]:8080`]);
    expect(compiled.upstreams.get('u')!.backends.map(({ state }) => state.servingSince)).toEqual([0, 0]);
  });

  it('keeps addresses as they are, shares the weight, and looks for each name once', () => {
    const u = apply({
      backends: [
        { id: 'x', url: URL, weight: 6 },
        { url: 'http://127.0.0.1:1' },
        { url: 'http://[::1]:1' },
        { url: `${URL}/base`, weight: 0 },
      ],
    });
    discovery.find(['10.0.0.1', 2], ['10.0.0.2', 1]);
    expect(u.backends.map(({ id, url, weight, basePath }) => [id, url, weight, basePath])).toEqual([
      ['x@10.0.0.1:8080', `${URL}@10.0.0.1:8080`, 4, ''],
      ['x@10.0.0.2:8080', `${URL}@10.0.0.2:8080`, 2, ''],
      ['http://127.0.0.1:1', 'http://127.0.0.1:1', 1, ''],
      ['http://[::1]:1', 'http://[::1]:1', 1, ''],
      [`${URL}/base@10.0.0.1:8080`, `${URL}/base@10.0.0.1:8080`, 0, '/base'],
      [`${URL}/base@10.0.0.2:8080`, `${URL}/base@10.0.0.2:8080`, 0, '/base'],
    ]);
    expect(new Set(u.backends.map(({ origin }) => origin.host))).toEqual(
      new Set(['api.test:8080', '127.0.0.1:1', '[::1]:1']),
    );
    expect([...discovery.followed.keys()]).toEqual(['api.test:8080']);
  });

  it('lets an address that stays go on, and one that is gone no more', () => {
    const u = apply({ circuit_breaker: new CircuitBreakerConfig() });
    discovery.find('10.0.0.1', '10.0.0.2');
    const [one, two] = u.backends as [(typeof u.backends)[0], (typeof u.backends)[0]];
    two.state.healthy = false;
    discovery.find('10.0.0.2', '10.0.0.3');
    const [kept, added] = u.backends as [(typeof u.backends)[0], (typeof u.backends)[0]];
    expect([kept.state, kept.pool, kept.breaker]).toEqual([two.state, two.pool, two.breaker]);
    expect(kept).toBe(two);
    expect(one.state).toMatchObject({ draining: true });
    expect(closed).toEqual([one.pool]);
    expect(added.state).toMatchObject({ healthy: true, draining: false });
    expect(added.state.servingSince).toBeGreaterThan(0);
    discovery.find('10.0.0.1', '10.0.0.2');
    expect(u.backends[0]!.state).not.toBe(one.state);
    expect(u.backends[0]!.state.draining).toBe(false);
  });

  it('keeps state and sockets when only the share changes', () => {
    const u = apply();
    discovery.find('10.0.0.1');
    const [before] = u.backends;
    discovery.find('10.0.0.1', '10.0.0.2');
    expect(u.backends[0]).toMatchObject({ weight: 0.5 });
    expect([u.backends[0]!.state, u.backends[0]!.pool]).toEqual([before!.state, before!.pool]);
    expect(closed).toEqual([]);
  });

  describe('over a reload', () => {
    it('goes on undisturbed when it stays the same', () => {
      const u = apply();
      discovery.find('10.0.0.1');
      const [backend] = u.backends;
      expect(apply({}, { other: { backends: [{ url: 'http://127.0.0.1:1' }] } })).toBe(u);
      expect([u.backends[0], discovery.begun, closed]).toEqual([backend, 1, []]);
    });

    it('keeps the addresses, and their state, when it changes otherwise', () => {
      const before = apply();
      discovery.find('10.0.0.1', '10.0.0.2');
      const states = before.backends.map(({ state }) => state);
      const after = apply({ critical: true });
      expect(after).not.toBe(before);
      expect(after.backends.map(({ state }) => state)).toEqual(states);
      for (const [at, { state }] of after.backends.entries()) expect(state).toBe(states[at]);
      expect([discovery.begun, closed]).toEqual([1, []]);
      discovery.find('10.0.0.1');
      expect([after.backends.length, before.backends.length]).toEqual([1, 2]);
      expect(before.pick(anybody, null)!.id).toBe(after.backends[0]!.id);
    });

    it('misses nothing that changes meanwhile', () => {
      const before = apply();
      discovery.find('10.0.0.1', '10.0.0.2');
      const next = compile({ critical: true });
      discovery.find('10.0.0.2', '10.0.0.3');
      const added = before.backends[1]!;
      next.commit();
      const after = next.upstreams.get('u')!;
      expect(after.backends.map(({ state }) => state)).toEqual(before.backends.map(({ state }) => state));
      expect(after.backends[1]!.state).toBe(added.state);
      expect(after.backends[1]!.pool).toBe(added.pool);
    });

    it.each<[string, Written]>([
      ['without discovery', { discovery: null }],
      ['with another name', { backends: [{ url: 'http://other.test' }] }],
      ['with addresses alone', { backends: [{ url: 'http://127.0.0.1:1' }] }],
    ])('lets go of a name %s', (_, written) => {
      const before = apply();
      discovery.find('10.0.0.1');
      apply(written);
      expect(discovery.followed.has('api.test:8080')).toBe(false);
      expect(closed).toEqual([before.backends[0]!.pool]);
    });

    it('forgets what a refused document brought', () => {
      const u = apply();
      discovery.find('10.0.0.1');
      const refused = compile({ backends: [{ url: URL }, { url: 'http://other.test' }] });
      expect(discovery.followed.size).toBe(2);
      refused.discard();
      expect([...discovery.followed.keys()]).toEqual(['api.test:8080']);
      discovery.find('10.0.0.2');
      expect(u.backends.map(({ id }) => id)).toEqual([`${URL}@10.0.0.2:8080`]);
    });

    it('begins nothing for a document that cannot be compiled', () => {
      const bad = { backends: [{ url: 'http://127.0.0.1:1' }], balancing: 'roulette' as 'random' };
      expect(() => compile({}, { bad })).toThrow(/roulette/);
      expect(discovery.begun).toBe(0);
    });

    it('leaves nothing behind after a hundred', () => {
      for (let n = 0; n < 100; n++) {
        apply({ backends: [{ url: URL }, { url: `http://n${n % 3}.test` }], critical: n % 2 === 0 });
        discovery.find('10.0.0.1', `10.0.1.${n}`);
        expect(discovery.followed.size).toBe(2);
      }
      // One backend goes with each look-up but the first; none is closed twice, none of those in force.
      expect(closed).toHaveLength(99);
      expect(new Set(closed).size).toBe(99);
      registry.onApplicationShutdown();
      expect(discovery.followed.size).toBe(0);
      expect(closed).toHaveLength(101);
    });
  });
});
