import type { Exchange } from '../exchange/exchange.js';
import type { ExchangeObserver } from '../exchange/observer.js';
import type { Snapshot, SnapshotListener } from '../exchange/snapshot.js';
import type { Backend } from '../exchange/upstream.js';
import { HistogramSeries, increase, methodIndex, PathSeries } from './series.js';

/** The `path` label of requests that no route matched. */
export const UNMATCHED = 'unmatched';

/** What series may exist: the paths, and the backend ids of each upstream. */
interface Known {
  readonly paths: ReadonlySet<string>;
  readonly backends: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Counts exchanges in plain numbers, by what the config names alone; prom-client sees them at a scrape
 * (`GatewayMetrics`). A reload drops the series of what it removed and lets the others go on.
 */
export class ExchangeMetrics implements ExchangeObserver, SnapshotListener {
  /** Exchanges begun and not ended. */
  active = 0;
  /** By the route's configured path. */
  readonly paths = new Map<string, PathSeries>();
  /** Seconds to the upstream's response head, by upstream, then by backend. */
  readonly upstreams = new Map<string, Map<string, HistogramSeries>>();

  private known: Known | null = null;

  /** `bounds` of the duration buckets in seconds, ascending. */
  constructor(private readonly bounds: readonly number[]) {}

  started(_exchange: Exchange): void {
    this.active += 1;
  }

  ended(exchange: Exchange): void {
    this.active -= 1;
    const { route, backend } = exchange;
    const series = this.pathSeries(route ? route.path : UNMATCHED);
    if (series) {
      const upstream = (exchange.upstream ?? route?.upstream)?.name ?? '';
      const seconds = Math.max(0, exchange.endedAt - exchange.startedAt) / 1_000;
      series.method(upstream, methodIndex(exchange.head.method)).count(exchange.status, seconds);
      if (exchange.reason !== null) increase(series.rejections, exchange.reason);
    }
    if (backend && exchange.upstreamHeadAt > 0) {
      const waited = exchange.upstreamHeadAt - exchange.upstreamStartedAt;
      this.upstreamSeries(backend)?.observe(Math.max(0, waited) / 1_000);
    }
  }

  /** Exchanges that end later on a removed route or backend do not bring its series back. */
  applied({ routes, upstreams }: Pick<Snapshot, 'routes' | 'upstreams'>): void {
    const paths = new Set(routes.map((route) => route.path)).add(UNMATCHED);
    const backends = new Map<string, ReadonlySet<string>>();
    for (const { name, backends: members } of upstreams.values()) {
      backends.set(name, new Set(members.map((backend) => backend.id)));
    }
    this.known = { paths, backends };
    keepOnly(this.paths, paths);
    keepOnly(this.upstreams, backends);
    for (const [name, series] of this.upstreams) keepOnly(series, backends.get(name)!);
    for (const [path, series] of this.paths) if (path !== UNMATCHED) keepOnly(series.upstreams, backends);
  }

  private pathSeries(path: string): PathSeries | null {
    const existing = this.paths.get(path);
    if (existing) return existing;
    if (this.known && !this.known.paths.has(path)) return null;
    const series = new PathSeries(this.bounds);
    this.paths.set(path, series);
    return series;
  }

  private upstreamSeries({ upstream, id }: Backend): HistogramSeries | null {
    let backends = this.upstreams.get(upstream);
    const existing = backends?.get(id);
    if (existing) return existing;
    if (this.known && !this.known.backends.get(upstream)?.has(id)) return null;
    if (!backends) {
      backends = new Map();
      this.upstreams.set(upstream, backends);
    }
    const series = new HistogramSeries(this.bounds);
    backends.set(id, series);
    return series;
  }
}

function keepOnly(series: Map<string, unknown>, names: { has(name: string): boolean }): void {
  for (const name of series.keys()) if (!names.has(name)) series.delete(name);
}
