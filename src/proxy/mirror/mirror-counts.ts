import { Injectable } from '@nestjs/common';

import type { MirroredCounts, MirrorResult } from '../../exchange/telemetry.js';
import { PathCounts } from '../path-counts.js';

/** What became of the copies since the start. */
@Injectable()
export class MirrorCounts extends PathCounts<MirrorResult> implements MirroredCounts {
  constructor() {
    super(['sent', 'failed', 'dropped']);
  }

  *mirroredCounts(): Iterable<{ path: string; result: MirrorResult; count: number }> {
    for (const { path, label, count } of this.counts()) yield { path, result: label, count };
  }
}
