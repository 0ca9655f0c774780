import { type DynamicModule, Global, Module, type ModuleMetadata } from '@nestjs/common';

import { ROUTER } from '../exchange/router.js';
import { SNAPSHOTS } from '../exchange/snapshot.js';
import { CONFIG_STATE } from '../exchange/telemetry.js';
import { CURRENT_UPSTREAMS } from '../exchange/upstream.js';
import { TableRouter } from './router.js';
import { SnapshotService } from './snapshot.service.js';

/** The snapshot in force and the look-up in it. Global: every room may ask what is in force. */
@Global()
@Module({
  providers: [
    SnapshotService,
    TableRouter,
    { provide: SNAPSHOTS, useExisting: SnapshotService },
    { provide: CURRENT_UPSTREAMS, useExisting: SnapshotService },
    { provide: CONFIG_STATE, useExisting: SnapshotService },
    { provide: ROUTER, useExisting: TableRouter },
  ],
  exports: [SnapshotService, SNAPSHOTS, CURRENT_UPSTREAMS, CONFIG_STATE, ROUTER],
})
export class RoutingModule {
  /** With the modules that export UPSTREAM_COMPILER and ROUTE_MOUNTER. */
  static with(imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    return { module: RoutingModule, imports };
  }
}
