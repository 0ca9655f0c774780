import { Module } from '@nestjs/common';

import { UPSTREAM_COMPILER } from '../exchange/snapshot.js';
import { OPEN_DISCOVERY, openDiscovery } from './discovery/index.js';
import { LogUpstreamEvents } from './log-upstream-events.js';
import { UPSTREAM_EVENTS } from './upstream-events.js';
import { UpstreamRegistry } from './upstream-registry.js';

@Module({
  providers: [
    UpstreamRegistry,
    { provide: UPSTREAM_COMPILER, useExisting: UpstreamRegistry },
    { provide: OPEN_DISCOVERY, useValue: openDiscovery },
    { provide: UPSTREAM_EVENTS, useClass: LogUpstreamEvents },
  ],
  exports: [UpstreamRegistry, UPSTREAM_COMPILER],
})
export class UpstreamModule {}
