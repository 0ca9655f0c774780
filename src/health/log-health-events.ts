import { Inject, Injectable } from '@nestjs/common';

import { LOG, type Log } from '../exchange/event-log.js';
import type { CheckerStarted, HealthEvents } from './health-events.js';

/** The health checker's log lines; the only place that knows their shape. */
@Injectable()
export class LogHealthEvents implements HealthEvents {
  constructor(@Inject(LOG) private readonly log: Log) {}

  unhealthy(upstream: string, backend: string, err: string): void {
    this.log.warn({ backend, upstream, err }, 'backend became unhealthy');
  }

  recovered(upstream: string, backend: string): void {
    this.log.info({ backend, upstream }, 'backend recovered');
  }

  started({ backends, path, interval, timeout }: CheckerStarted): void {
    this.log.info({ backends, path, interval, timeout }, 'health checker started');
  }
}
