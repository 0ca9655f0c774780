import { Injectable } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';

import type { CheckerStarted, HealthEvents } from './health-events.js';

/** The health checker's log lines; the only place that knows their shape. */
@Injectable()
export class LogHealthEvents implements HealthEvents {
  constructor(private readonly logger: PinoLogger) {}

  unhealthy(upstream: string, backend: string, err: string): void {
    this.logger.warn({ msg: 'backend became unhealthy', backend, upstream, err });
  }

  recovered(upstream: string, backend: string): void {
    this.logger.info({ msg: 'backend recovered', backend, upstream });
  }

  started({ backends, path, interval, timeout }: CheckerStarted): void {
    this.logger.info({ msg: 'health checker started', backends, path, interval, timeout });
  }
}
