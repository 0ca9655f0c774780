import { Injectable } from '@nestjs/common';

import type { Route } from '../../exchange/route.js';
import type { Snapshot, SnapshotListener } from '../../exchange/snapshot.js';
import type { WebSocketCounts } from '../../exchange/telemetry.js';

/** The place that one WebSocket holds on its route, from the handshake on. */
export class WebSocketSlot {
  #state: 'handshake' | 'open' | 'over' = 'handshake';

  constructor(readonly counts: RouteCounts) {
    counts.taken++;
  }

  opened(): void {
    if (this.#state !== 'handshake') return;
    this.#state = 'open';
    this.counts.open++;
  }

  release(): void {
    if (this.#state === 'over') return;
    if (this.#state === 'open') this.counts.open--;
    this.#state = 'over';
    this.counts.taken--;
  }
}

interface RouteCounts {
  path: string;
  open: number;
  /** Open ones and handshakes under way. */
  taken: number;
}

/** Counts WebSockets by route, over reloads: for `max_connections` and for the gauge. */
@Injectable()
export class WebSocketSlots implements WebSocketCounts, SnapshotListener {
  readonly #routes = new Map<string, RouteCounts>();

  /** Null when the route has `max` already; 0 = no bound. */
  take({ id, path }: Pick<Route, 'id' | 'path'>, max: number): WebSocketSlot | null {
    const counts = this.#countsOf(id, path);
    return max > 0 && counts.taken >= max ? null : new WebSocketSlot(counts);
  }

  /** A path whose last WebSocket has ended stays, with 0, while the config has its route. */
  webSocketCounts(): Iterable<{ readonly path: string; readonly open: number }> {
    const byPath = new Map<string, number>();
    for (const { path, open } of this.#routes.values()) byPath.set(path, (byPath.get(path) ?? 0) + open);
    return Array.from(byPath, ([path, open]) => ({ path, open }));
  }

  applied({ routes }: Pick<Snapshot, 'routes'>): void {
    const known = new Set(routes.map(({ id }) => id));
    for (const [id, { taken }] of this.#routes) if (taken === 0 && !known.has(id)) this.#routes.delete(id);
  }

  #countsOf(id: string, path: string): RouteCounts {
    const known = this.#routes.get(id);
    if (known?.path === path) return known;
    // A route may get another path by a reload: those already open are told under the new one.
    const counts = known ?? { path, open: 0, taken: 0 };
    counts.path = path;
    this.#routes.set(id, counts);
    return counts;
  }
}
