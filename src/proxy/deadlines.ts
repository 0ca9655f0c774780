import type { Clock } from '../common/clock.js';
import { type Listed, LiveList } from '../common/live-list.js';

/** Longest a deadline fires late, in milliseconds. */
export const DEADLINE_TICK_MS = 50;

/** Something with at most one deadline at a time. Moving it is one assignment; that is the point. */
export interface Deadlined extends Listed {
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
  readonly #active = new LiveList<Deadlined>();
  #timer: NodeJS.Timeout | null = null;

  constructor(readonly clock: Clock) {}

  watch(item: Deadlined): void {
    this.#active.add(item);
    this.#timer ??= setInterval(() => this.sweep(), DEADLINE_TICK_MS).unref();
  }

  forget(item: Deadlined): void {
    this.#active.remove(item);
  }

  /** Fires what is due. Public so that tests need no real time. */
  sweep(): void {
    if (this.#active.size === 0) return this.#rest();
    const now = this.clock.now();
    this.#active.visit((item) => {
      if (item.deadline === 0 || item.deadline > now) return;
      item.deadline = 0;
      item.expired(now);
    });
  }

  stop(): void {
    this.#rest();
    this.#active.visit((item) => this.#active.remove(item));
  }

  #rest(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }
}
