import { Inject, Injectable } from '@nestjs/common';

import { LOG, type Log } from '../exchange/event-log.js';
import type { UpstreamEvents } from './upstream-events.js';

/** The lines about circuits. */
@Injectable()
export class LogUpstreamEvents implements UpstreamEvents {
  constructor(@Inject(LOG) private readonly log: Log) {}

  circuitOpened(upstream: string, backend: string): void {
    this.log.warn({ backend, upstream }, 'circuit opened');
  }

  circuitHalfOpen(upstream: string, backend: string): void {
    this.log.info({ backend, upstream }, 'circuit half-open');
  }

  circuitClosed(upstream: string, backend: string): void {
    this.log.info({ backend, upstream }, 'circuit closed');
  }
}
