import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';

import { CLOCK, type Clock } from '../common/clock.js';
import { ROUTE_MOUNTER } from '../exchange/snapshot.js';
import { MIRRORED_COUNTS, RETRIED_COUNTS, WEBSOCKET_COUNTS } from '../exchange/telemetry.js';
import { ActiveExchanges } from './active-exchanges.js';
import { RetryCounts } from './attempts/retry-counts.js';
import { Deadlines } from './deadlines.js';
import { HttpForwarder } from './http-forwarder.js';
import { MirrorCounts } from './mirror/mirror-counts.js';
import { Mirrors } from './mirror/mirrors.js';
import { ProxyRouteMounter } from './route-mounter.js';
import { WebSocketForwarder } from './upgrade/websocket-forwarder.js';
import { WebSocketSlots } from './upgrade/websocket-slots.js';

/** The end of every chain, and what mounts the chains. */
@Module({
  providers: [
    ActiveExchanges,
    HttpForwarder,
    MirrorCounts,
    Mirrors,
    ProxyRouteMounter,
    RetryCounts,
    WebSocketForwarder,
    WebSocketSlots,
    { provide: Deadlines, useFactory: (clock: Clock) => new Deadlines(clock), inject: [CLOCK] },
    { provide: ROUTE_MOUNTER, useExisting: ProxyRouteMounter },
    { provide: MIRRORED_COUNTS, useExisting: MirrorCounts },
    { provide: RETRIED_COUNTS, useExisting: RetryCounts },
    { provide: WEBSOCKET_COUNTS, useExisting: WebSocketSlots },
  ],
  exports: [
    ActiveExchanges,
    Deadlines,
    MIRRORED_COUNTS,
    MirrorCounts,
    RETRIED_COUNTS,
    RetryCounts,
    ROUTE_MOUNTER,
    WEBSOCKET_COUNTS,
    WebSocketSlots,
  ],
})
export class ProxyModule {
  /** With the modules that export PIPELINE. */
  static with(imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    return { module: ProxyModule, imports };
  }
}
