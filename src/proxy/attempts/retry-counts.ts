import { Injectable } from '@nestjs/common';

import type { Exchange } from '../../exchange/exchange.js';
import type { Snapshot, SnapshotListener } from '../../exchange/snapshot.js';
import type { RetriedCounts } from '../../exchange/telemetry.js';

/** Retries since the start, by the route's configured path and by what was wrong with the try before. */
@Injectable()
export class RetryCounts implements RetriedCounts, SnapshotListener {
  readonly #paths = new Map<string, Map<string, number>>();
  /** Null before the first snapshot. */
  #known: ReadonlySet<string> | null = null;

  retried({ route }: Exchange, reason: string): void {
    const { path } = route!;
    if (this.#known !== null && !this.#known.has(path)) return;
    const counts = this.#paths.get(path) ?? new Map<string, number>();
    this.#paths.set(path, counts.set(reason, (counts.get(reason) ?? 0) + 1));
  }

  /** The series of a removed path go with it, and exchanges of before that are tried again do not bring them back. */
  applied({ routes }: Pick<Snapshot, 'routes'>): void {
    const paths = new Set(routes.map(({ path }) => path));
    this.#known = paths;
    for (const path of this.#paths.keys()) if (!paths.has(path)) this.#paths.delete(path);
  }

  *retriedCounts(): Iterable<{ path: string; reason: string; count: number }> {
    for (const [path, counts] of this.#paths)
      for (const [reason, count] of counts) yield { path, reason, count };
  }
}
