import type { WaitingExchange } from '../exchange/upstream.js';

/**
 * Those that wait for a place at a backend of one upstream, first come, first served. It lives across reloads, so
 * that a place that becomes free on one snapshot serves who waits on another.
 */
export class WaitingLine {
  readonly #waiting = new Set<WaitingExchange>();

  get length(): number {
    return this.#waiting.size;
  }

  join(waiting: WaitingExchange, capacity: number): boolean {
    if (this.#waiting.size >= capacity) return false;
    this.#waiting.add(waiting);
    return true;
  }

  leave(waiting: WaitingExchange): void {
    this.#waiting.delete(waiting);
  }

  /** Places may have become free: they are offered in turn. One exchange may be unable to take what the next one can. */
  advance(): void {
    if (this.#waiting.size === 0) return;
    for (const waiting of this.#waiting) if (waiting.offered()) this.#waiting.delete(waiting);
  }
}
