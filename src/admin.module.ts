import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';

import { AdminController } from './admin/admin.controller.js';
import { AdminOriginGuard } from './admin/admin-origin.guard.js';
import { AdminTokenGuard } from './admin/admin-token.guard.js';
import { CacheController } from './admin/cache.controller.js';
import type { GatewayConfig } from './config/gateway.config.js';
import { GATEWAY_CONTROL, type GatewayControl } from './exchange/gateway-control.js';
import { LoggingModule } from './logging/logging.module.js';
import type { LogOutput } from './logging/output.js';
import { ProblemFilter } from './proxy/problem.filter.js';
import { OwnEndpointsGuard, OwnEndpointsThrottlerModule } from './rate-limit/own-endpoints.throttler.js';

export interface AdminModuleOptions {
  readonly config: Readonly<GatewayConfig>;
  readonly control: GatewayControl;
  readonly logOutput: LogOutput;
}

/** The control plane: the other application of the process. All it knows of the gateway is `GatewayControl`. */
@Module({})
export class AdminModule {
  static for({ config, control, logOutput }: AdminModuleOptions): DynamicModule {
    return {
      module: AdminModule,
      imports: [LoggingModule.forRoot(config.logging, logOutput), OwnEndpointsThrottlerModule],
      controllers: [AdminController, CacheController],
      providers: [
        { provide: GATEWAY_CONTROL, useValue: control },
        { provide: APP_FILTER, useClass: ProblemFilter },
        // First: guessing a token is what the throttle is for.
        { provide: APP_GUARD, useExisting: OwnEndpointsGuard },
        { provide: APP_GUARD, useValue: new AdminOriginGuard(config.admin.token) },
        { provide: APP_GUARD, useValue: new AdminTokenGuard(config.admin.token) },
      ],
    };
  }
}
