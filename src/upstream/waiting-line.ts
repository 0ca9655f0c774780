import type { Upstream, WaitingExchange } from '../exchange/upstream.js';

/**
 * Those that wait for a place at a backend of one upstream, first come, first served. It lives across reloads, so
 * that a place that becomes free on one snapshot serves who waits on another.
 */
export class WaitingLine {
  readonly #waiting = new Set<WaitingExchange>();
  #offering = false;
  #offerAgain = false;

  get length(): number {
    return this.#waiting.size;
  }

  /** Who is in the line already keeps its place. */
  join(waiting: WaitingExchange, capacity: number): boolean {
    if (this.#waiting.has(waiting)) return true;
    if (this.#waiting.size >= capacity) return false;
    this.#waiting.add(waiting);
    return true;
  }

  leave(waiting: WaitingExchange): void {
    this.#waiting.delete(waiting);
  }

  /**
   * Places may have become free: they are offered in turn. Whoever takes one may fail or end at once, and so free it
   * again in the middle of this: then all are asked once more, from the first.
   */
  advance(): void {
    if (this.#waiting.size === 0) return;
    this.#offerAgain = true;
    if (this.#offering) return;
    this.#offering = true;
    try {
      while (this.#offerAgain) {
        this.#offerAgain = false;
        this.#offerAll();
      }
    } finally {
      this.#offering = false;
    }
  }

  /** One exchange may be unable to take what the next one can, so none is the last to be asked. */
  #offerAll(): void {
    // A long line must not cost a pick for each one in it when there is nothing to pick.
    let full: Upstream | null = null;
    for (const waiting of this.#waiting) {
      if (waiting.upstream === full) continue;
      if (!waiting.upstream.hasRoom()) full = waiting.upstream;
      else if (waiting.offered()) this.#waiting.delete(waiting);
    }
  }
}
