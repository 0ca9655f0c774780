import type { Clock } from '../common/clock.js';

/** Longest a deadline fires late, in milliseconds. */
export const DEADLINE_TICK_MS = 50;

/** Something with at most one deadline at a time. Moving it is one assignment; that is the point. */
export interface Deadlined {
  /** Monotonic milliseconds; 0 = none. */
  deadline: number;
  /** Called once per expiry; `deadline` is 0 by then. */
  expired(now: number): void;
}

/**
 * Every timeout of the exchanges under way. A timer per request and per chunk would cost more than the
 * rest of the path, so one tick looks at all that is active.
 */
export class Deadlines {
  readonly #active = new Set<Deadlined>();
  #timer: NodeJS.Timeout | null = null;

  constructor(readonly clock: Clock) {}

  watch(item: Deadlined): void {
    this.#active.add(item);
    this.#timer ??= setInterval(() => this.sweep(), DEADLINE_TICK_MS).unref();
  }

  forget(item: Deadlined): void {
    this.#active.delete(item);
  }

  /** Fires what is due. Public so that tests need no real time. */
  sweep(): void {
    if (this.#active.size === 0) return this.#rest();
    const now = this.clock.now();
    for (const item of this.#active) {
      if (item.deadline === 0 || item.deadline > now) continue;
      item.deadline = 0;
      item.expired(now);
    }
  }

  stop(): void {
    this.#rest();
    this.#active.clear();
  }

  #rest(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }
}
