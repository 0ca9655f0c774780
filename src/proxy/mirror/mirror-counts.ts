import { Injectable } from '@nestjs/common';

import type { Snapshot, SnapshotListener } from '../../exchange/snapshot.js';
import type { MirroredCounts, MirrorResult } from '../../exchange/telemetry.js';

/** What became of the copies since the start, by the route's configured path. */
@Injectable()
export class MirrorCounts implements MirroredCounts, SnapshotListener {
  readonly #paths = new Map<string, Record<MirrorResult, number>>();
  #known: ReadonlySet<string> | null = null;

  count(path: string, result: MirrorResult): void {
    const counts = this.#countsOf(path);
    if (counts !== null) counts[result]++;
  }

  /** The series of a removed path go with it, and copies that end later do not bring them back. */
  applied({ routes }: Pick<Snapshot, 'routes'>): void {
    const paths = new Set(routes.map(({ path }) => path));
    this.#known = paths;
    for (const path of this.#paths.keys()) if (!paths.has(path)) this.#paths.delete(path);
  }

  *mirroredCounts(): Iterable<{ path: string; result: MirrorResult; count: number }> {
    for (const [path, { sent, failed, dropped }] of this.#paths) {
      yield { path, result: 'sent', count: sent };
      yield { path, result: 'failed', count: failed };
      yield { path, result: 'dropped', count: dropped };
    }
  }

  #countsOf(path: string): Record<MirrorResult, number> | null {
    const counts = this.#paths.get(path);
    if (counts !== undefined) return counts;
    if (this.#known !== null && !this.#known.has(path)) return null;
    const made = { sent: 0, failed: 0, dropped: 0 };
    this.#paths.set(path, made);
    return made;
  }
}
