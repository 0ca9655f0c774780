import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';

import { StatusController } from './admin/status.controller.js';
import { AuthModule } from './auth/auth.module.js';
import { CacheStoresModule } from './cache/stores/cache-stores.module.js';
import { CacheModule } from './cache/cache.module.js';
import { CLOCK, systemClock } from './common/clock.js';
import { GatewayConfigModule } from './config/config.module.js';
import type { GatewayConfig } from './config/gateway.config.js';
import { CorsModule } from './cors/cors.module.js';
import { ALLOW_FROM } from './exchange/allow-from.guard.js';
import { GATEWAY_CONTROL } from './exchange/gateway-control.js';
import { EXCHANGE_OBSERVERS, type ExchangeObserver } from './exchange/observer.js';
import { READINESS } from './exchange/readiness.js';
import { ExtensionsHostModule } from './extensions/host/extensions-host.module.js';
import type { ExtensionRegistry } from './extensions/host/extension-registry.js';
import { Reloader } from './gateway.reloader.js';
import { GatewayState } from './gateway.state.js';
import { HealthModule } from './health/health.module.js';
import { ACCESS_LOG, LoggingModule } from './logging/logging.module.js';
import type { LogOutput } from './logging/output.js';
import { EXCHANGE_METRICS, MetricsModule } from './metrics/metrics.module.js';
import { forwardersProvider, pipelineProvider } from './pipeline.js';
import { EntryModule } from './proxy/entry.module.js';
import { InterceptorStage } from './proxy/interception/interceptor-stage.js';
import { ProblemFilter } from './proxy/problem.filter.js';
import { ProxyModule } from './proxy/proxy.module.js';
import { OwnEndpointsGuard, OwnEndpointsThrottlerModule } from './rate-limit/own-endpoints.throttler.js';
import { RateLimitModule } from './rate-limit/rate-limit.module.js';
import { RedisModule } from './redis/redis.module.js';
import { RoutingModule } from './routing/routing.module.js';
import { TransformModule } from './transform/transform.module.js';
import { SecurityHeadersModule } from './security-headers/security-headers.module.js';
import { UpstreamModule } from './upstream/upstream.module.js';
import { ValidationModule } from './validation/validation.module.js';

@Global()
@Module({ providers: [{ provide: CLOCK, useValue: systemClock }], exports: [CLOCK] })
class ClockModule {}

@Module({
  imports: [CacheModule, AuthModule, CorsModule, RateLimitModule, TransformModule, ValidationModule],
  providers: [pipelineProvider, InterceptorStage, forwardersProvider],
  exports: [pipelineProvider, forwardersProvider],
})
class PipelineModule {}

/** Metrics before the log: a line that someone reads is counted already. */
@Module({
  providers: [
    {
      provide: EXCHANGE_OBSERVERS,
      useFactory: (...observers: (ExchangeObserver | null)[]) =>
        observers.filter((observer) => observer !== null),
      inject: [EXCHANGE_METRICS, ACCESS_LOG],
    },
  ],
  exports: [EXCHANGE_OBSERVERS],
})
class ObserversModule {}

const proxy = ProxyModule.with([PipelineModule]);

@Global()
@Module({
  imports: [proxy],
  providers: [
    GatewayState,
    Reloader,
    { provide: READINESS, useExisting: GatewayState },
    { provide: GATEWAY_CONTROL, useExisting: GatewayState },
  ],
  exports: [GatewayState, READINESS, GATEWAY_CONTROL],
})
class StateModule {}

export interface GatewayModuleOptions {
  readonly config: Readonly<GatewayConfig>;
  /** Where the document was read from, for logs and status. */
  readonly file: string;
  readonly logOutput: LogOutput;
  /** The guards and interceptors that the document may name. */
  readonly extensions: ExtensionRegistry;
}

/** The data plane: one of the two applications of the process. */
@Module({})
export class GatewayModule {
  static for({ config, file, logOutput, extensions }: GatewayModuleOptions): DynamicModule {
    return {
      module: GatewayModule,
      imports: [
        ClockModule,
        SecurityHeadersModule,
        GatewayConfigModule.forDocument(config, file),
        ScheduleModule.forRoot(),
        LoggingModule.forRoot(config.logging, logOutput),
        RoutingModule.with([UpstreamModule, proxy]),
        MetricsModule.register(config.metrics, config.admin.allow_from, [RateLimitModule, proxy]),
        ExtensionsHostModule.for(extensions),
        RedisModule,
        CacheStoresModule,
        StateModule,
        HealthModule,
        PipelineModule,
        RateLimitModule,
        EntryModule.with([proxy, ObserversModule]),
        OwnEndpointsThrottlerModule,
      ],
      controllers: [StatusController],
      providers: [
        { provide: APP_FILTER, useClass: ProblemFilter },
        { provide: APP_GUARD, useExisting: OwnEndpointsGuard },
        { provide: ALLOW_FROM, useValue: config.admin.allow_from },
      ],
    };
  }
}
