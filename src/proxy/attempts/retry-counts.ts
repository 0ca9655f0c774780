import { Injectable } from '@nestjs/common';

import type { Exchange } from '../../exchange/exchange.js';
import type { RetriedCounts } from '../../exchange/telemetry.js';
import { PathCounts } from '../path-counts.js';

/** Retries since the start, by what was wrong with the try before. */
@Injectable()
export class RetryCounts extends PathCounts<string> implements RetriedCounts {
  retried({ route }: Exchange, reason: string): void {
    this.count(route!.path, reason);
  }

  *retriedCounts(): Iterable<{ path: string; reason: string; count: number }> {
    for (const { path, label, count } of this.counts()) yield { path, reason: label, count };
  }
}
