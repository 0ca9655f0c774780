import { Inject, Injectable } from '@nestjs/common';

import { LOG, type Log } from '../exchange/event-log.js';
import type { DiscoveryEvents } from './discovery/discovery-events.js';
import type { UpstreamEvents } from './upstream-events.js';

/** The lines about circuits and names. */
@Injectable()
export class LogUpstreamEvents implements UpstreamEvents, DiscoveryEvents {
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

  discoveryFailed(upstream: string, name: string, cause: Error): void {
    this.log.warn({ upstream, name, err: cause.message }, 'discovery failed');
  }

  discoveryRecovered(upstream: string, name: string): void {
    this.log.info({ upstream, name }, 'discovery recovered');
  }

  addressesChanged(upstream: string, name: string, addresses: readonly string[]): void {
    this.log.info({ upstream, name, addresses }, 'addresses changed');
  }
}
