import { Global, Module, type Provider, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { register } from 'prom-client';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { metricValue } from '../../test/support/metrics.js';
import { readExposition } from '../../test/support/exposition.js';
import { MetricsConfig } from '../config/observability.config.js';
import { Exchange } from '../exchange/exchange.js';
import type { Route } from '../exchange/route.js';
import {
  CONFIG_STATE,
  CONNECTION_GAUGE,
  type ConnectionGauge,
  LIMIT_STORE_STATE,
  LIMITED_COUNTS,
} from '../exchange/telemetry.js';
import { WEBSOCKET_COUNTS } from '../exchange/telemetry.js';
import { type Backend, CURRENT_UPSTREAMS, type Upstream } from '../exchange/upstream.js';
import { requestHead } from '../exchange/request-head.fixture.js';
import { ExchangeMetrics } from './exchange-metrics.js';
import { EXCHANGE_METRICS, METRICS_REGISTRY, MetricsModule } from './metrics.module.js';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];
const odd = '/odd/"quoted"/back\\slash';

const backends = [
  { id: 'http://a', upstream: 'users', state: { healthy: true, inFlight: 3 } },
  { id: 'http://b', upstream: 'users', state: { healthy: false, inFlight: 0 } },
] as Backend[];
const users = { name: 'users', backends } as unknown as Upstream;
const route = { id: 'users', path: '/api/users', upstream: users } as Route;

const SOURCES: Provider[] = [
  { provide: CURRENT_UPSTREAMS, useValue: { upstreams: () => [users] } },
  { provide: LIMITED_COUNTS, useValue: { limitedCounts: () => [{ path: odd, limit: 'default', count: 7 }] } },
  { provide: LIMIT_STORE_STATE, useValue: { limitStoreUp: () => false } },
  { provide: WEBSOCKET_COUNTS, useValue: { webSocketCounts: () => [{ path: '/ws', open: 2 }] } },
  { provide: CONFIG_STATE, useValue: { configVersion: 4, lastReloadSuccessful: false } },
];

function rootModule(config: MetricsConfig, allowFrom: string[], providers: Provider[]): Type {
  @Global()
  @Module({ providers, exports: providers })
  class SourcesModule {}
  @Module({ imports: [SourcesModule, MetricsModule.register(config, allowFrom)] })
  class RootModule {}
  return RootModule;
}

const running: NestFastifyApplication[] = [];

async function start(change: Partial<MetricsConfig> = {}, allowFrom = LOOPBACK, providers = SOURCES) {
  const config = Object.assign(new MetricsConfig(), change);
  const app = await NestFactory.create<NestFastifyApplication>(
    rootModule(config, allowFrom, providers),
    new FastifyAdapter({ skipMiddie: true, trustProxy: true }),
    { logger: false },
  );
  running.push(app);
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  return {
    app,
    get: (path: string, headers: Record<string, string> = {}) => fetch(url + path, { headers }),
    scrape: async () => (await fetch(`${url}/metrics`)).text(),
  };
}

function exchange(fields: Partial<Exchange>, method = 'GET'): Exchange {
  const head = requestHead({ method, remoteAddress: '', remotePort: 0, host: '' });
  return Object.assign(new Exchange('id', 0, head), { status: 200 }, fields);
}

function pass(metrics: ExchangeMetrics, fields: Partial<Exchange>, method?: string): void {
  const one = exchange(fields, method);
  metrics.started(one);
  metrics.ended(one);
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((app) => app.close()));
});

describe('the scrape', () => {
  it('is Prometheus text that promtool would pass', async () => {
    const { app, get } = await start();
    const metrics = app.get<ExchangeMetrics>(EXCHANGE_METRICS);
    const answered = { route, backend: backends[0]!, upstreamStartedAt: 1, upstreamHeadAt: 21, endedAt: 31 };
    pass(metrics, answered);
    pass(metrics, { ...answered, endedAt: 60_000 }, 'BREW');
    pass(metrics, { status: 404, reason: 'route_not_found' });
    pass(metrics, { route: { ...route, path: odd }, status: 429, reason: 'rate_limited' });
    const response = await get('/metrics');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(readExposition(await response.text()).problems).toEqual([]);
  });

  it('has every metric of the documentation', async () => {
    const { app, scrape } = await start();
    pass(app.get(EXCHANGE_METRICS), {
      route,
      backend: backends[0]!,
      upstreamHeadAt: 1,
      reason: 'client_closed',
    });
    const { families } = readExposition(await scrape());
    const gateway = [...families.values()].filter(({ name }) => name.startsWith('gateway_'));
    const shown = gateway.map(({ name, type, samples }) => {
      const labels = Object.keys(samples[0]!.labels).filter((label) => label !== 'le');
      return `${type} ${name}{${labels.join()}}`;
    });
    expect(shown.toSorted()).toEqual([
      'counter gateway_rate_limited_total{path,limit}',
      'counter gateway_rejections_total{path,reason}',
      'counter gateway_requests_total{method,path,status,upstream}',
      'counter gateway_tls_handshake_failures_total{}',
      'gauge gateway_active_connections{}',
      'gauge gateway_active_requests{}',
      'gauge gateway_backend_healthy{upstream,backend}',
      'gauge gateway_backend_in_flight{upstream,backend}',
      'gauge gateway_circuit_state{upstream,backend}',
      'gauge gateway_config_last_reload_successful{}',
      'gauge gateway_config_version{}',
      'gauge gateway_rate_limit_store_up{}',
      'gauge gateway_websocket_connections{path}',
      'histogram gateway_request_duration_seconds{method,path,upstream}',
      'histogram gateway_upstream_duration_seconds{upstream,backend}',
    ]);
    expect([...families.keys()]).toEqual(
      expect.arrayContaining(['process_resident_memory_bytes', 'nodejs_eventloop_lag_seconds']),
    );
  });

  it('shows the numbers', async () => {
    const { app, scrape } = await start();
    const metrics = app.get<ExchangeMetrics>(EXCHANGE_METRICS);
    pass(metrics, { route, endedAt: 20 });
    pass(metrics, { route, endedAt: 20_000 });
    metrics.started(exchange({}));
    const connections = app.get<ConnectionGauge>(CONNECTION_GAUGE);
    connections.opened();
    connections.opened();
    connections.closed();
    const text = await scrape();
    const labels = { method: 'GET', path: '/api/users', upstream: 'users' };
    const bucket = (le: string) =>
      metricValue(text, 'gateway_request_duration_seconds_bucket', { ...labels, le });
    expect(metricValue(text, 'gateway_requests_total', { ...labels, status: '200' })).toBe(2);
    expect([bucket('0.01'), bucket('0.025'), bucket('10'), bucket('+Inf')]).toEqual([0, 1, 1, 2]);
    expect(metricValue(text, 'gateway_request_duration_seconds_sum', labels)).toBeCloseTo(20.02, 9);
    expect(metricValue(text, 'gateway_active_requests')).toBe(1);
    expect(metricValue(text, 'gateway_active_connections')).toBe(1);
    expect(metricValue(text, 'gateway_backend_healthy', { upstream: 'users', backend: 'http://a' })).toBe(1);
    expect(metricValue(text, 'gateway_backend_healthy', { upstream: 'users', backend: 'http://b' })).toBe(0);
    expect(metricValue(text, 'gateway_backend_in_flight', { backend: 'http://a' })).toBe(3);
    expect(metricValue(text, 'gateway_rate_limited_total', { path: odd, limit: 'default' })).toBe(7);
    expect(metricValue(text, 'gateway_rate_limit_store_up')).toBe(0);
    expect(metricValue(text, 'gateway_config_version')).toBe(4);
    expect(metricValue(text, 'gateway_config_last_reload_successful')).toBe(0);
  });

  it('agrees with itself while exchanges run', async () => {
    const { app, scrape } = await start();
    const metrics = app.get<ExchangeMetrics>(EXCHANGE_METRICS);
    const traffic = setInterval(() => {
      for (let at = 0; at < 50; at++) pass(metrics, { route, endedAt: at });
    });
    const labels = { method: 'GET', path: '/api/users', upstream: 'users' };
    await vi.waitFor(() => expect(metrics.paths.size).toBe(1));
    const texts = await Promise.all(Array.from({ length: 10 }, () => scrape()));
    clearInterval(traffic);
    for (const text of texts) {
      expect(readExposition(text).problems).toEqual([]);
      const requests = metricValue(text, 'gateway_requests_total', labels);
      expect(requests).toBeGreaterThan(0);
      expect(metricValue(text, 'gateway_request_duration_seconds_count', labels)).toBe(requests);
    }
  });

  it('of one application is its own: prom-client’s global registry stays empty', async () => {
    const first = await start();
    const second = await start();
    pass(first.app.get(EXCHANGE_METRICS), { route });
    expect(metricValue(await first.scrape(), 'gateway_requests_total')).toBe(1);
    expect(metricValue(await second.scrape(), 'gateway_requests_total')).toBeUndefined();
    expect(register.getMetricsAsArray()).toEqual([]);
  });

  it('serves the same numbers as JSON', async () => {
    const { app } = await start();
    pass(app.get(EXCHANGE_METRICS), { route, endedAt: 20 });
    const metrics = await app.get(METRICS_REGISTRY).getMetricsAsJSON();
    const histogram = metrics.find(
      (metric: { name: string }) => metric.name === 'gateway_request_duration_seconds',
    );
    expect(histogram.values.at(-1)).toEqual({
      metricName: 'gateway_request_duration_seconds_count',
      labels: { method: 'GET', path: '/api/users', upstream: 'users' },
      value: 1,
    });
  });
});

describe('the endpoints', () => {
  it.each(['/metrics', '/_gateway/metrics'])('%s answers a peer of admin.allow_from', async (path) => {
    const { get } = await start();
    expect((await get(path)).status).toBe(200);
  });

  it.each(['/metrics', '/_gateway/metrics'])('%s does not exist for others', async (path) => {
    const { get } = await start({}, ['10.0.0.0/8']);
    expect((await get(path)).status).toBe(404);
  });

  it('believe the socket, not a header', async () => {
    const outside = await start({}, ['10.0.0.0/8']);
    expect((await outside.get('/metrics', { 'x-forwarded-for': '10.0.0.1' })).status).toBe(404);
    const inside = await start();
    expect((await inside.get('/metrics', { 'x-forwarded-for': '203.0.113.9' })).status).toBe(200);
  });

  it('are where metrics.path says', async () => {
    const { get } = await start({ path: '/internal/prometheus' });
    expect((await get('/internal/prometheus')).status).toBe(200);
    expect((await get('/_gateway/metrics')).status).toBe(200);
    expect((await get('/metrics')).status).toBe(404);
    const same = await start({ path: '/_gateway/metrics' });
    expect((await same.get('/_gateway/metrics')).status).toBe(200);
  });

  it('and the observer are gone when metrics are off; the gauge still takes calls', async () => {
    const { app, get } = await start({ enabled: false });
    expect((await get('/metrics')).status).toBe(404);
    expect((await get('/_gateway/metrics')).status).toBe(404);
    expect(app.get(EXCHANGE_METRICS)).toBeNull();
    app.get<ConnectionGauge>(CONNECTION_GAUGE).opened();
  });

  it('leave out what no part of the gateway offers', async () => {
    const { scrape } = await start({}, LOOPBACK, SOURCES.slice(0, 1));
    const { families, problems } = readExposition(await scrape());
    expect(problems).toEqual([]);
    expect(families.has('gateway_rate_limited_total')).toBe(false);
    expect(families.has('gateway_backend_healthy')).toBe(true);
  });
});
