import { type DynamicModule, Global, Module, type ModuleMetadata, type Provider } from '@nestjs/common';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import { Registry } from 'prom-client';

import type { MetricsConfig } from '../config/observability.config.js';
import { AllowFromGuard } from '../exchange/allow-from.guard.js';
import {
  CACHED_COUNTS,
  type CachedCounts,
  CONFIG_STATE,
  type ConfigState,
  CONNECTION_GAUGE,
  LIMIT_STORE_STATE,
  LIMITED_COUNTS,
  type LimitedCounts,
  type LimitStoreState,
  MIRRORED_COUNTS,
  type MirroredCounts,
  RETRIED_COUNTS,
  type RetriedCounts,
  WEBSOCKET_COUNTS,
  type WebSocketCounts,
} from '../exchange/telemetry.js';
import { CURRENT_UPSTREAMS, type CurrentUpstreams } from '../exchange/upstream.js';
import { Connections } from './connections.js';
import { ExchangeMetrics } from './exchange-metrics.js';
import { registerGatewayMetrics } from './gateway-metrics.js';
import { scrapeController } from './scrape.controller.js';

/** Nest token of the {@link ExchangeMetrics} (an observer and a snapshot listener); null when metrics are off. */
export const EXCHANGE_METRICS = Symbol('ExchangeMetrics');

/** Nest token of the application's own prom-client registry. */
export const METRICS_REGISTRY = Symbol('MetricsRegistry');

const GATEWAY_PATH = '/_gateway/metrics';

/** Global: the counts, and the endpoints that show them to peers in `admin.allow_from`. */
@Global()
@Module({})
export class MetricsModule {
  /** `imports`: modules that export CURRENT_UPSTREAMS and the optional sources, where they are not global. */
  static register(
    config: MetricsConfig,
    allowFrom: readonly string[],
    imports: NonNullable<ModuleMetadata['imports']> = [],
  ): DynamicModule {
    const connections = new Connections();
    const gauge = { provide: CONNECTION_GAUGE, useValue: connections };
    if (!config.enabled) return metricsOff(gauge);
    const registry = new Registry();
    const guard = new AllowFromGuard(allowFrom);
    return {
      module: MetricsModule,
      imports: [...imports, prometheus(config, registry, guard)],
      controllers: config.path === GATEWAY_PATH ? [] : [scrapeController(registry, guard, GATEWAY_PATH)],
      providers: [
        gauge,
        { provide: METRICS_REGISTRY, useValue: registry },
        exchangeMetrics(config, registry, connections),
      ],
      exports: [CONNECTION_GAUGE, METRICS_REGISTRY, EXCHANGE_METRICS],
    };
  }
}

function metricsOff(gauge: Provider): DynamicModule {
  return {
    module: MetricsModule,
    providers: [gauge, { provide: EXCHANGE_METRICS, useValue: null }],
    exports: [CONNECTION_GAUGE, EXCHANGE_METRICS],
  };
}

function exchangeMetrics(config: MetricsConfig, registry: Registry, connections: Connections): Provider {
  const optional = (token: symbol) => ({ token, optional: true });
  return {
    provide: EXCHANGE_METRICS,
    inject: [
      CURRENT_UPSTREAMS,
      optional(LIMITED_COUNTS),
      optional(RETRIED_COUNTS),
      optional(MIRRORED_COUNTS),
      optional(WEBSOCKET_COUNTS),
      optional(CONFIG_STATE),
      optional(CACHED_COUNTS),
      optional(LIMIT_STORE_STATE),
    ],
    // oxlint-disable-next-line max-params -- one for each room that has numbers.
    useFactory: (
      upstreams: CurrentUpstreams,
      limits: LimitedCounts | null = null,
      retries: RetriedCounts | null = null,
      mirrored: MirroredCounts | null = null,
      webSockets: WebSocketCounts | null = null,
      state: ConfigState | null = null,
      cached: CachedCounts | null = null,
      limitStore: LimitStoreState | null = null,
    ) => {
      const exchanges = new ExchangeMetrics(config.buckets);
      const sources = {
        exchanges,
        connections,
        upstreams,
        limits,
        limitStore,
        retries,
        mirrored,
        webSockets,
        cached,
        config: state,
      };
      registerGatewayMetrics(registry, config.buckets, sources);
      return exchanges;
    },
  };
}

function prometheus(config: MetricsConfig, registry: Registry, guard: AllowFromGuard): DynamicModule {
  const module = PrometheusModule.register({
    path: config.path,
    controller: scrapeController(registry, guard, config.path),
    defaultMetrics: { enabled: true, config: { register: registry } },
  });
  removeMisnamed(registry);
  return module;
}

/**
 * prom-client's gauges `nodejs_active_…_total` only add up the gauges without `_total`, a suffix that
 * `promtool check metrics` allows to counters alone.
 */
function removeMisnamed(registry: Registry): void {
  for (const { name, type } of registry.getMetricsAsArray()) {
    if (name.endsWith('_total') && String(type) === 'gauge') registry.removeSingleMetric(name);
  }
}
