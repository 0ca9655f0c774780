import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';

import { HEALTH_EVENTS } from './health-events.js';
import { HealthMonitor } from './health-monitor.js';
import { HealthReport } from './health-report.js';
import { HealthController } from './health.controller.js';
import { LogHealthEvents } from './log-health-events.js';

/**
 * Probes and health endpoints. The application has imported `ScheduleModule.forRoot()` (once: it is global)
 * and the logger; CURRENT_UPSTREAMS and READINESS come from a global module or by `with`.
 */
@Module({
  // Terminus would log every failing check; the transitions of backends are logged already.
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [HealthMonitor, HealthReport, { provide: HEALTH_EVENTS, useClass: LogHealthEvents }],
  exports: [HealthMonitor, HealthReport],
})
export class HealthModule {
  /** With the modules that export CURRENT_UPSTREAMS and READINESS. */
  static with(imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    return { module: HealthModule, imports };
  }
}
