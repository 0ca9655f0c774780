import { Module } from '@nestjs/common';

import { UPSTREAM_COMPILER } from '../exchange/snapshot.js';
import { UpstreamRegistry } from './upstream-registry.js';

@Module({
  providers: [UpstreamRegistry, { provide: UPSTREAM_COMPILER, useExisting: UpstreamRegistry }],
  exports: [UpstreamRegistry, UPSTREAM_COMPILER],
})
export class UpstreamModule {}
