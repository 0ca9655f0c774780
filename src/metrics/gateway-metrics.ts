import type { Registry } from 'prom-client';

import type {
  CachedCounts,
  ConfigState,
  LimitedCounts,
  LimitStoreState,
  MirroredCounts,
  RetriedCounts,
  WebSocketCounts,
} from '../exchange/telemetry.js';
import type { Backend, CircuitName, CurrentUpstreams } from '../exchange/upstream.js';
import type { Connections } from './connections.js';
import type { ExchangeMetrics } from './exchange-metrics.js';
import { METHOD_LABELS, type MethodSeries } from './series.js';
import {
  CounterView,
  GaugeView,
  type HistogramSample,
  HistogramView,
  type Labels,
  type Sample,
} from './views.js';

/** Where the numbers come from; what a part of the gateway does not offer is not shown. */
export interface MetricSources {
  readonly exchanges: ExchangeMetrics;
  readonly connections: Connections;
  readonly upstreams: CurrentUpstreams;
  readonly limits: LimitedCounts | null;
  readonly limitStore: LimitStoreState | null;
  readonly retries: RetriedCounts | null;
  readonly mirrored: MirroredCounts | null;
  readonly webSockets: WebSocketCounts | null;
  readonly cached: CachedCounts | null;
  readonly config: ConfigState | null;
}

/** Registers all `gateway_…` metrics (docs/metrics.md). `bounds` of the buckets in seconds, ascending. */
export function registerGatewayMetrics(
  registry: Registry,
  bounds: readonly number[],
  sources: MetricSources,
): void {
  const metrics = new GatewayMetrics(registry, bounds);
  metrics.exchanges(sources.exchanges, sources.connections);
  metrics.backends(sources.upstreams);
  if (sources.limits) metrics.limits(sources.limits);
  if (sources.limitStore) metrics.limitStore(sources.limitStore);
  if (sources.retries) metrics.retries(sources.retries);
  if (sources.mirrored) metrics.mirrored(sources.mirrored);
  if (sources.webSockets) metrics.webSockets(sources.webSockets);
  if (sources.cached) metrics.cached(sources.cached);
  if (sources.config) metrics.config(sources.config);
}

/** In the order of their numbers. */
const CIRCUITS: readonly CircuitName[] = ['closed', 'open', 'half-open'];

const CACHED = [
  ['hits', 'Requests answered from the cache.'],
  ['misses', 'Requests to caching routes that the upstream had to answer.'],
  ['stores', 'Answers put into the cache.'],
  ['evictions', 'Entries that had to make room in the cache.'],
  ['invalidations', 'Entries removed by unsafe requests.'],
] as const;

class GatewayMetrics {
  constructor(
    private readonly registry: Registry,
    private readonly bounds: readonly number[],
  ) {}

  exchanges(source: ExchangeMetrics, connections: Connections): void {
    const byRoute = ['method', 'path', 'upstream'];
    this.counter('gateway_requests_total', 'Requests answered.', [...byRoute, 'status'], () =>
      requestSamples(source),
    );
    this.histogram(
      'gateway_request_duration_seconds',
      'Time from the complete request head to the end of the answer.',
      byRoute,
      () => methodSeries(source).map(({ labels, series }) => ({ labels, series: series.duration })),
    );
    this.histogram(
      'gateway_upstream_duration_seconds',
      'Time from handing a request to the backend that answered to the head of its answer.',
      ['upstream', 'backend'],
      () => upstreamSamples(source),
    );
    this.gauge('gateway_active_requests', 'Requests begun and not ended.', [], () => [
      { labels: {}, value: source.active },
    ]);
    this.gauge('gateway_active_connections', 'Open client connections of the data port.', [], () => [
      { labels: {}, value: connections.open },
    ]);
    this.counter('gateway_tls_handshake_failures_total', 'TLS handshakes that came to nothing.', [], () => [
      { labels: {}, value: connections.failedHandshakes },
    ]);
    this.counter(
      'gateway_rejections_total',
      'Requests that the gateway answered or cut itself, by reason.',
      ['path', 'reason'],
      () => rejectionSamples(source),
    );
  }

  backends(source: CurrentUpstreams): void {
    const gauge = (name: string, help: string, value: (backend: Backend) => number) =>
      this.gauge(name, help, ['upstream', 'backend'], () => backendSamples(source, value));
    gauge('gateway_backend_healthy', 'Whether the backend takes requests: 1 yes, 0 no.', (backend) =>
      backend.state.healthy ? 1 : 0,
    );
    gauge(
      'gateway_backend_in_flight',
      'Requests handed to the backend that have not ended.',
      (backend) => backend.state.inFlight,
    );
    gauge(
      'gateway_circuit_state',
      'State of the circuit breaker: 0 closed, 1 open, 2 half-open.',
      ({ breaker }) => CIRCUITS.indexOf(breaker?.circuit ?? 'closed'),
    );
  }

  retries(source: RetriedCounts): void {
    this.counter(
      'gateway_retries_total',
      'Retries begun, by what was wrong with the try before.',
      ['path', 'reason'],
      () => [...source.retriedCounts()].map(({ path, reason, count }) => sample({ path, reason }, count)),
    );
  }

  mirrored(source: MirroredCounts): void {
    this.counter('gateway_mirror_requests_total', 'Copies of requests, by result.', ['path', 'result'], () =>
      [...source.mirroredCounts()].map(({ path, result, count }) => sample({ path, result }, count)),
    );
  }

  limits(source: LimitedCounts): void {
    this.counter('gateway_rate_limited_total', 'Requests refused by a rate limit.', ['path', 'limit'], () =>
      [...source.limitedCounts()].map(({ path, limit, count }) => sample({ path, limit }, count)),
    );
  }

  limitStore(source: LimitStoreState): void {
    this.gauge(
      'gateway_rate_limit_store_up',
      'Whether the store of shared limits answers: 1 yes, 0 no.',
      [],
      () => {
        const up = source.limitStoreUp();
        return up === null ? [] : [sample({}, up ? 1 : 0)];
      },
    );
  }

  webSockets(source: WebSocketCounts): void {
    this.gauge('gateway_websocket_connections', 'Open WebSocket connections.', ['path'], () =>
      [...source.webSocketCounts()].map(({ path, open }) => sample({ path }, open)),
    );
  }

  cached(source: CachedCounts): void {
    for (const [name, help] of CACHED) {
      this.counter(`gateway_cache_${name}_total`, help, ['path'], () => cachedSamples(source, name));
    }
    this.gauge('gateway_cache_bytes', 'Size of the entries kept in memory.', [], () => {
      const bytes = source.cachedBytes();
      return bytes === null ? [] : [sample({}, bytes)];
    });
  }

  config(source: ConfigState): void {
    this.gauge(
      'gateway_config_last_reload_successful',
      'Whether the latest configuration was applied: 1 yes, 0 no.',
      [],
      () => [sample({}, source.lastReloadSuccessful ? 1 : 0)],
    );
    this.gauge('gateway_config_version', 'Number of the configuration in force.', [], () => [
      sample({}, source.configVersion),
    ]);
  }

  private counter(name: string, help: string, labelNames: string[], read: () => Sample[]): void {
    void new CounterView({ name, help, labelNames, registers: [this.registry] }, read);
  }

  private gauge(name: string, help: string, labelNames: string[], read: () => Sample[]): void {
    void new GaugeView({ name, help, labelNames, registers: [this.registry] }, read);
  }

  private histogram(name: string, help: string, labelNames: string[], read: () => HistogramSample[]): void {
    void new HistogramView({ name, help, labelNames, registers: [this.registry] }, this.bounds, read);
  }
}

function sample(labels: Labels, value: number): Sample {
  return { labels, value };
}

interface LabelledSeries {
  readonly labels: Labels;
  readonly series: MethodSeries;
}

function methodSeries(source: ExchangeMetrics): LabelledSeries[] {
  const all: LabelledSeries[] = [];
  for (const [path, { upstreams }] of source.paths) {
    for (const [upstream, methods] of upstreams) {
      methods.forEach((series, index) => {
        if (series) all.push({ labels: { method: METHOD_LABELS[index]!, path, upstream }, series });
      });
    }
  }
  return all;
}

function requestSamples(source: ExchangeMetrics): Sample[] {
  return methodSeries(source).flatMap(({ labels, series }) =>
    Array.from(series.statuses, ([status, { value }]) => {
      const { method, path, upstream } = labels as Record<'method' | 'path' | 'upstream', string>;
      return sample({ method, path, status: String(status), upstream }, value);
    }),
  );
}

function rejectionSamples(source: ExchangeMetrics): Sample[] {
  return Array.from(source.paths, ([path, { rejections }]) =>
    Array.from(rejections, ([reason, { value }]) => sample({ path, reason }, value)),
  ).flat();
}

function upstreamSamples(source: ExchangeMetrics): HistogramSample[] {
  return Array.from(source.upstreams, ([upstream, backends]) =>
    Array.from(backends, ([backend, series]) => ({ labels: { upstream, backend }, series })),
  ).flat();
}

/** Routes may share a path. */
function cachedSamples(source: CachedCounts, name: (typeof CACHED)[number][0]): Sample[] {
  const sums = new Map<string, number>();
  for (const count of source.cachedCounts()) {
    sums.set(count.path, (sums.get(count.path) ?? 0) + count[name]);
  }
  return Array.from(sums, ([path, sum]) => sample({ path }, sum));
}

function backendSamples(source: CurrentUpstreams, value: (backend: Backend) => number): Sample[] {
  return Array.from(source.upstreams(), ({ name, backends }) =>
    backends.map((backend) => sample({ upstream: name, backend: backend.id }, value(backend))),
  ).flat();
}
