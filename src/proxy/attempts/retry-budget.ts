import type { Clock } from '../../common/clock.js';
import { SlidingCount, SLICE_MS, SLICES } from './sliding-count.js';

/** Milliseconds that a budget looks back. */
const WINDOW_MS = SLICES * SLICE_MS;
/** Retries in the window that are allowed whatever the share: 3 a second. */
const ALWAYS = (3 * WINDOW_MS) / 1_000;

/** Bounds retries among requests, so that they can't become the load that keeps a backend down. */
export interface RetryBudget {
  /** A request began. */
  request(): void;
  /** A retry would begin: false when the budget does not have it. */
  take(): boolean;
}

/**
 * Retries begun in the last 10 s ≤ `share` of the requests begun in them; 30 are always allowed, to the
 * millisecond. The shares are counted in slices, with a slice more of retries than of requests: the budget is never
 * exceeded, and at most a hundredth is withheld.
 */
export class SlidingRetryBudget implements RetryBudget {
  readonly #requests: SlidingCount;
  readonly #retries: SlidingCount;
  /** When the latest retries began, in monotonic milliseconds; a ring. */
  readonly #latest = new Float64Array(ALWAYS).fill(-Infinity);
  #oldest = 0;

  constructor(
    readonly share: number,
    private readonly clock: Clock,
  ) {
    this.#requests = new SlidingCount(SLICES);
    this.#retries = new SlidingCount(SLICES + 1);
  }

  request(): void {
    this.#requests.add(this.clock.now());
  }

  take(): boolean {
    const now = this.clock.now();
    const allowed =
      this.#latest[this.#oldest]! <= now - WINDOW_MS ||
      this.#retries.at(now) + 1 <= this.share * this.#requests.at(now);
    if (!allowed) return false;
    this.#retries.add(now);
    this.#latest[this.#oldest] = now;
    this.#oldest = (this.#oldest + 1) % ALWAYS;
    return true;
  }
}
