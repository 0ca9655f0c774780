import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { describe, expect, it } from 'vitest';

import { GatewayConfig } from '../config/gateway.config.js';
import { RateLimitConfig } from '../config/rate-limit.config.js';
import { RouteConfig } from '../config/route.config.js';
import { Exchange } from '../exchange/exchange.js';
import { Refusal } from '../exchange/refusal.js';
import { requestHead } from '../exchange/request-head.fixture.js';
import { ExceededReports } from './exceeded-reports.js';
import { LimitCompiler } from './limit-compiler.js';
import { LimitJudge } from './limit-judge.js';
import { LimitedCounters } from './limited-counts.js';
import { LimiterRegistry } from './limiter.registry.js';
import type { RateLimitGuard } from './rate-limit.guard.js';
import { RateLimitGuardFactory } from './rate-limit.guard-factory.js';
import { MemoryStores } from './stores/memory.stores.js';
import { RedisLimitStores } from './stores/redis.stores.js';

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const HEAD = requestHead({ target: '/a' });

/** What a client saw of the guard. */
interface Answer {
  passed: boolean;
  policy: string | undefined;
  quota: string | undefined;
  retryAfter: number | undefined;
}

class Bench {
  now = 1_000_000;
  readonly clock = { now: () => this.now, wall: () => this.now };
  readonly told: [limit: string, suppressed: number][] = [];
  readonly counters = new LimitedCounters();
  readonly compiler = new LimitCompiler(
    new LimiterRegistry(new MemoryStores(this.clock)),
    this.counters,
    new RedisLimitStores(
      { for: () => expect.fail('nothing is in Redis'), opened: () => Promise.resolve() },
      silent,
    ),
    this.clock,
  );
  readonly reports = new ExceededReports({
    exceeded: (_, limit, suppressed) => this.told.push([limit, suppressed]),
  });
  readonly factory = new RateLimitGuardFactory(this.compiler, new LimitJudge(this.reports, this.clock));

  apply(document: GatewayConfig): void {
    this.factory.applied({ config: document });
  }

  ask(guard: RateLimitGuard | undefined, clientIp = '192.0.2.1'): Answer {
    const exchange = new Exchange('1', this.now, HEAD);
    exchange.clientIp = clientIp;
    const refusal = refusalOf(() => guard!.canActivate(new ExecutionContextHost([{ exchange }, {}])));
    const header = (name: string) => exchange.responseHeaders[exchange.responseHeaders.indexOf(name) + 1];
    const retryAfter = refusal && Number(refusal.headers['Retry-After']);
    return { passed: !refusal, policy: header('RateLimit-Policy'), quota: header('RateLimit'), retryAfter };
  }

  passes(guard: RateLimitGuard | undefined, times: number, clientIp?: string): number {
    return Array.from({ length: times }, () => this.ask(guard, clientIp)).filter(({ passed }) => passed)
      .length;
  }
}

function refusalOf(call: () => unknown): Refusal | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function limitOf(requests: number, per: string, more: Partial<RateLimitConfig> = {}): RateLimitConfig {
  return Object.assign(new RateLimitConfig(), { requests, per }, more);
}

function routeOf(id: string, ...limits: RateLimitConfig[]): RouteConfig {
  return Object.assign(new RouteConfig(), { id, path: `/${id}`, upstream: 'up', rate_limit: limits });
}

function documentOf(routes: RouteConfig[], global: RateLimitConfig | null = null): GatewayConfig {
  return Object.assign(new GatewayConfig(), { routes, rate_limit_global: global });
}

/** A guard over one route's limits. */
function guarded(...limits: RateLimitConfig[]) {
  const bench = new Bench();
  const route = routeOf('a', ...limits);
  return { bench, guard: bench.factory.guardFor(route, documentOf([route])) };
}

describe('a route with one limit', () => {
  it('answers with the documented headers', () => {
    const { bench, guard } = guarded(limitOf(100, '1m'));
    expect(bench.ask(guard)).toEqual({
      passed: true,
      policy: '"default";q=100;w=60',
      quota: '"default";r=99;t=1',
      retryAfter: undefined,
    });
  });

  it('refuses with a true Retry-After', () => {
    const { bench, guard } = guarded(limitOf(2, '7s'));
    expect(bench.passes(guard, 2)).toBe(2);
    const refused = bench.ask(guard);
    expect(refused).toMatchObject({ passed: false, quota: '"default";r=0;t=7', retryAfter: 4 });
    bench.now += 3_000;
    expect(bench.ask(guard).passed).toBe(false);
    bench.now += 1_000;
    expect(bench.ask(guard).passed).toBe(true);
  });

  it('throws the refusal that the writer answers with', () => {
    const { guard } = guarded(limitOf(1, '7s'));
    const context = new ExecutionContextHost([{ exchange: new Exchange('1', 0, HEAD) }, {}]);
    expect(guard!.canActivate(context)).toBe(true);
    expect(refusalOf(() => guard!.canActivate(context))).toMatchObject({
      reason: 'rate_limited',
      headers: { 'Retry-After': '7' },
      members: { retry_after: 7 },
    });
  });

  it('takes the burst as capacity', () => {
    const { bench, guard } = guarded(limitOf(60, '1m', { burst: 5 }));
    expect(bench.passes(guard, 10)).toBe(5);
    expect(bench.ask(guard).policy).toBe('"default";q=60;w=60');
  });

  it('names no window that is not whole seconds', () => {
    const { bench, guard } = guarded(limitOf(10, '250ms'));
    expect(bench.ask(guard).policy).toBe('"default";q=10');
  });

  it('has a bucket for each client, and of IPv6 for each /64', () => {
    const { bench, guard } = guarded(limitOf(1, '1m'));
    const clients = ['192.0.2.1', '192.0.2.2', '192.0.2.1', '2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'];
    expect(clients.map((ip) => bench.passes(guard, 1, ip))).toEqual([1, 1, 0, 1, 0, 1]);
  });

  it('has one bucket for all when it is by route', () => {
    const { bench, guard } = guarded(limitOf(1, '1m', { by: 'route' }));
    expect(['192.0.2.1', '192.0.2.2'].map((ip) => bench.passes(guard, 1, ip))).toEqual([1, 0]);
  });
});

describe('a route with several limits', () => {
  it('lists all of them, the route’s own first', () => {
    const bench = new Bench();
    const route = routeOf('a', limitOf(10, '1s'), limitOf(100, '1m', { by: 'route' }));
    const guard = bench.factory.guardFor(route, documentOf([route], limitOf(1_000, '1h', { by: 'route' })));
    expect(bench.ask(guard)).toMatchObject({
      policy: '"default";q=10;w=1, "default-2";q=100;w=60, "global";q=1000;w=3600',
      quota: '"default";r=9;t=1, "default-2";r=99;t=1, "global";r=999;t=4',
    });
  });

  it('takes from all of them or from none', () => {
    const { bench, guard } = guarded(limitOf(1, '1m'), limitOf(3, '1m', { by: 'route' }));
    expect(bench.passes(guard, 5, '192.0.2.1')).toBe(1);
    expect(bench.ask(guard, '192.0.2.1').quota).toBe('"default";r=0;t=60, "default-2";r=2;t=20');
    expect([2, 3, 4].map((host) => bench.passes(guard, 1, `192.0.2.${host}`))).toEqual([1, 1, 0]);
    bench.now += 20_000;
    // The refused client 4 still has its own token.
    expect(bench.ask(guard, '192.0.2.4').quota).toBe('"default";r=0;t=60, "default-2";r=0;t=60');
  });

  it('names the wait of the slowest of those that refuse', () => {
    const { bench, guard } = guarded(limitOf(1, '1s'), limitOf(1, '1m'), limitOf(1, '10s'));
    bench.ask(guard);
    expect(bench.ask(guard).retryAfter).toBe(60);
    bench.now += 60_000;
    expect(bench.ask(guard).passed).toBe(true);
    expect(bench.told).toEqual([['default-2', 0]]);
  });

  it('gives back on behalf of a later stage', () => {
    const { bench, guard } = guarded(limitOf(1, '1m'), limitOf(1, '1m', { by: 'route' }));
    const exchange = new Exchange('1', 0, HEAD);
    expect(guard!.limits.judge(exchange)).toBeNull();
    exchange.taken!.giveBack(bench.now);
    exchange.taken!.giveBack(bench.now);
    expect(guard!.limits.judge(new Exchange('2', 0, HEAD))).toBeNull();
    expect(guard!.limits.judge(new Exchange('3', 0, HEAD))).not.toBeNull();
  });
});

describe('the global limit', () => {
  it('is one bucket over all routes, with limits of their own or without', () => {
    const bench = new Bench();
    const routes = [routeOf('a', limitOf(10, '1m')), routeOf('b')];
    const document = documentOf(routes, limitOf(3, '1m', { by: 'route' }));
    const [a, b] = routes.map((route) => bench.factory.guardFor(route, document));
    expect([bench.passes(a, 2), bench.passes(b, 2)]).toEqual([2, 1]);
    expect(bench.ask(b).quota).toBe('"global";r=0;t=60');
  });

  it('costs a route nothing where it is off', () => {
    const route = routeOf('a');
    expect(new Bench().factory.guardFor(route, documentOf([route]))).toBeUndefined();
  });
});

describe('a reload', () => {
  const before = [routeOf('a', limitOf(2, '1m')), routeOf('b', limitOf(2, '1m'))];

  function reloaded(...after: RouteConfig[]) {
    const bench = new Bench();
    const old = before.map((route) => bench.factory.guardFor(route, documentOf(before)));
    bench.apply(documentOf(before));
    old.forEach((guard) => bench.passes(guard, 2));
    const fresh = after.map((route) => bench.factory.guardFor(route, documentOf(after)));
    bench.apply(documentOf(after));
    return { bench, fresh };
  }

  it('keeps the buckets of unchanged limits', () => {
    const { bench, fresh } = reloaded(routeOf('b', limitOf(2, '1m')), routeOf('a', limitOf(2, '1m')));
    expect(fresh.map((guard) => bench.passes(guard, 1))).toEqual([0, 0]);
  });

  it('starts others afresh: other numbers, another position, another key, another route', () => {
    const { bench, fresh } = reloaded(
      routeOf('a', limitOf(3, '1m')),
      routeOf('b', limitOf(9, '1m'), limitOf(2, '1m')),
      routeOf('c', limitOf(2, '1m')),
    );
    expect(fresh.map((guard) => bench.passes(guard, 9))).toEqual([3, 2, 2]);
  });

  it('that is refused changes nothing for those in force', () => {
    const bench = new Bench();
    const guard = bench.factory.guardFor(before[0]!, documentOf(before));
    bench.passes(guard, 2);
    const refused = [routeOf('a', limitOf(3, '1m'))];
    bench.factory.guardFor(refused[0]!, documentOf(refused));
    expect(bench.passes(guard, 1)).toBe(0);
    expect(bench.passes(bench.factory.guardFor(before[0]!, documentOf(before)), 1)).toBe(0);
  });

  it('forgets what no route uses: buckets and series', () => {
    const bench = new Bench();
    bench.passes(bench.factory.guardFor(before[0]!, documentOf(before)), 3);
    bench.apply(documentOf([before[1]!]));
    expect([...bench.counters.limitedCounts()]).toEqual([{ path: '/b', limit: 'default', count: 0 }]);
    expect(bench.passes(bench.factory.guardFor(before[0]!, documentOf(before)), 3)).toBe(2);
  });
});

describe('what is told of refusals', () => {
  it('counts them by route path and limit', () => {
    const { bench, guard } = guarded(limitOf(1, '1m'), limitOf(5, '1m'));
    bench.passes(guard, 4);
    expect([...bench.counters.limitedCounts()]).toEqual([
      { path: '/a', limit: 'default', count: 3 },
      { path: '/a', limit: 'default-2', count: 0 },
    ]);
  });

  it('tells of each key once a second', () => {
    const { bench, guard } = guarded(limitOf(1, '1m'));
    bench.passes(guard, 4, '192.0.2.1');
    bench.passes(guard, 2, '192.0.2.2');
    bench.now += 1_000;
    bench.passes(guard, 1, '192.0.2.1');
    expect(bench.told).toEqual([
      ['default', 0],
      ['default', 0],
      ['default', 2],
    ]);
  });
});

it('refuses a limit in Redis where the document has none', () => {
  expect(() => guarded(limitOf(1, '1s', { store: 'redis' }))).toThrow(RangeError);
});
