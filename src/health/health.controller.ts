import { Controller, Get, UseFilters } from '@nestjs/common';
import { SkipThrottle } from '@nestjs/throttler';
import { HealthCheck, type HealthCheckResult } from '@nestjs/terminus';

import { HealthReport } from './health-report.js';
import { TerminusFilter } from './terminus-filter.js';

@Controller('health')
// An orchestrator's probes are never refused.
@SkipThrottle()
@UseFilters(TerminusFilter)
export class HealthController {
  constructor(private readonly report: HealthReport) {}

  @Get()
  @HealthCheck()
  health(): Promise<HealthCheckResult> {
    return this.report.upstreams();
  }

  @Get('live')
  @HealthCheck()
  live(): HealthCheckResult {
    return this.report.live();
  }

  @Get('ready')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.report.ready();
  }
}
