import { describe, expect, it } from 'vitest';

import { Exchange } from '../exchange/exchange.js';
import type { Route } from '../exchange/route.js';
import type { Backend, Upstream } from '../exchange/upstream.js';
import { requestHead } from '../exchange/request-head.fixture.js';
import { ExchangeMetrics } from './exchange-metrics.js';
import { METHOD_LABELS, methodIndex } from './series.js';

const BOUNDS = [0.01, 0.1, 1];
const GET = methodIndex('GET');

function upstreamOf(name: string, ...ids: string[]): Upstream {
  return { name, backends: ids.map((id) => ({ id, upstream: name }) as Backend) } as unknown as Upstream;
}

function routeOf(path: string, upstream: Upstream): Route {
  return { id: path.slice(1), path, upstream } as Route;
}

const users = upstreamOf('users', 'a', 'b');
const orders = upstreamOf('orders', 'c');
const routeUsers = routeOf('/users', users);
const routeOrders = routeOf('/orders', orders);

function snapshotOf(routes: Route[], ...upstreams: Upstream[]) {
  return { routes, upstreams: new Map(upstreams.map((upstream) => [upstream.name, upstream])) };
}

function exchange(fields: Partial<Exchange>, method = 'GET', startedAt = 1_000): Exchange {
  const head = requestHead({ method, remoteAddress: '', remotePort: 0, host: '' });
  const made = new Exchange('id', startedAt, head);
  return Object.assign(made, { status: 200, endedAt: startedAt }, fields);
}

function run(metrics: ExchangeMetrics, ...exchanges: Exchange[]): void {
  for (const one of exchanges) {
    metrics.started(one);
    metrics.ended(one);
  }
}

describe('ExchangeMetrics', () => {
  it('counts exchanges by route path, upstream, method and status', () => {
    const metrics = new ExchangeMetrics(BOUNDS);
    run(
      metrics,
      exchange({ route: routeUsers }),
      exchange({ route: routeUsers }),
      exchange({ route: routeUsers, status: 502, reason: 'upstream_unavailable' }),
      exchange({ route: routeUsers }, 'POST'),
    );
    const series = metrics.paths.get('/users')!;
    expect([...series.method('users', GET).statuses]).toEqual([
      [200, { value: 2 }],
      [502, { value: 1 }],
    ]);
    expect([...series.method('users', methodIndex('POST')).statuses]).toEqual([[200, { value: 1 }]]);
    expect([...series.rejections]).toEqual([['upstream_unavailable', { value: 1 }]]);
  });

  it('names the upstream that was chosen over the route’s own', () => {
    const metrics = new ExchangeMetrics(BOUNDS);
    run(metrics, exchange({ route: routeUsers, upstream: orders }));
    expect([...metrics.paths.get('/users')!.upstreams.keys()]).toEqual(['orders']);
  });

  it('gives all unmatched requests, targets and methods alike, one path and no upstream', () => {
    const metrics = new ExchangeMetrics(BOUNDS);
    run(
      metrics,
      exchange({ status: 404 }, 'BREW'),
      exchange({ status: 404 }, 'GETT'),
      exchange({ status: 400 }, ''),
    );
    expect([...metrics.paths.keys()]).toEqual(['unmatched']);
    const other = metrics.paths.get('unmatched')!.method('', METHOD_LABELS.indexOf('OTHER'));
    expect([...other.statuses]).toEqual([
      [404, { value: 2 }],
      [400, { value: 1 }],
    ]);
  });

  it('counts the active ones, and nothing else of them', () => {
    const metrics = new ExchangeMetrics(BOUNDS);
    const one = exchange({ route: routeUsers });
    metrics.started(one);
    metrics.started(exchange({}));
    expect(metrics.active).toBe(2);
    expect(metrics.paths.size).toBe(0);
    metrics.ended(one);
    expect(metrics.active).toBe(1);
  });

  it('sorts durations into buckets in seconds, the bound included', () => {
    const metrics = new ExchangeMetrics(BOUNDS);
    const lasting = (ms: number) => exchange({ route: routeUsers, endedAt: ms }, 'GET', 0);
    run(metrics, lasting(0), lasting(10), lasting(10.5), lasting(1_000), lasting(60_000), lasting(-1));
    const { duration } = metrics.paths.get('/users')!.method('users', GET);
    expect(duration.counts).toEqual([3, 1, 1, 1]);
    expect(duration.sum).toBeCloseTo(61.0205, 9);
  });

  it('measures a backend to its response head, and only where one came', () => {
    const metrics = new ExchangeMetrics(BOUNDS);
    const backend = users.backends[1]!;
    run(
      metrics,
      exchange({
        route: routeUsers,
        backend,
        upstreamStartedAt: 1_010,
        upstreamHeadAt: 1_060,
        endedAt: 9_000,
      }),
      exchange({
        route: routeUsers,
        backend,
        upstreamStartedAt: 1_010,
        status: 504,
        reason: 'upstream_timeout',
      }),
    );
    expect([...metrics.upstreams.get('users')!.keys()]).toEqual(['b']);
    expect(metrics.upstreams.get('users')!.get('b')!.counts).toEqual([0, 1, 0, 0]);
  });
});

describe('a reload', () => {
  const answered = (route: Route, backend: Backend) =>
    exchange({ route, backend, upstreamStartedAt: 1, upstreamHeadAt: 2 });

  function afterTraffic(): ExchangeMetrics {
    const metrics = new ExchangeMetrics(BOUNDS);
    metrics.applied(snapshotOf([routeUsers, routeOrders], users, orders));
    run(
      metrics,
      answered(routeUsers, users.backends[0]!),
      answered(routeUsers, users.backends[1]!),
      answered(routeOrders, orders.backends[0]!),
      exchange({ status: 404 }),
    );
    return metrics;
  }

  it('keeps the counts of what stays', () => {
    const metrics = afterTraffic();
    metrics.applied(snapshotOf([routeOf('/users', users), routeOrders], users, orders));
    expect([...metrics.paths.get('/users')!.method('users', GET).statuses]).toEqual([[200, { value: 2 }]]);
    expect(metrics.paths.has('unmatched')).toBe(true);
    expect([...metrics.paths.get('unmatched')!.upstreams.keys()]).toEqual(['']);
  });

  it('drops the series of removed routes, upstreams and backends', () => {
    const metrics = afterTraffic();
    metrics.applied(snapshotOf([routeUsers], upstreamOf('users', 'b')));
    expect([...metrics.paths.keys()]).toEqual(['/users', 'unmatched']);
    expect([...metrics.upstreams.keys()]).toEqual(['users']);
    expect([...metrics.upstreams.get('users')!.keys()]).toEqual(['b']);
  });

  it('drops the series of a route’s former upstream', () => {
    const metrics = afterTraffic();
    metrics.applied(snapshotOf([routeOf('/users', orders)], orders));
    expect([...metrics.paths.get('/users')!.upstreams.keys()]).toEqual([]);
  });

  it('does not let an exchange that ends later bring a series back', () => {
    const metrics = afterTraffic();
    const late = answered(routeOrders, orders.backends[0]!);
    metrics.started(late);
    metrics.applied(snapshotOf([routeUsers], users));
    metrics.ended(late);
    expect(metrics.active).toBe(0);
    expect(metrics.paths.has('/orders')).toBe(false);
    expect(metrics.upstreams.has('orders')).toBe(false);
  });

  it('a thousand times leaves no more series than the config asks for', () => {
    const metrics = new ExchangeMetrics(BOUNDS);
    for (let at = 0; at < 1_000; at++) {
      const upstream = upstreamOf(`u${at}`, 'a');
      const route = routeOf(`/r${at}`, upstream);
      metrics.applied(snapshotOf([route], upstream));
      run(metrics, answered(route, upstream.backends[0]!));
    }
    expect([metrics.paths.size, metrics.upstreams.size]).toEqual([1, 1]);
  });
});
