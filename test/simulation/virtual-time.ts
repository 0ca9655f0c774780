import type { Clock } from '../../src/common/clock.js';

interface Due {
  readonly at: number;
  /** Among those of one moment, the order in which they were asked for. */
  readonly order: number;
  readonly run: () => void;
}

/** A clock that jumps from one event to the next: nothing sleeps, and a seed gives the same run for ever. */
export class VirtualTime implements Clock {
  #now = 1_000;
  #order = 0;
  readonly #heap: Due[] = [];

  now(): number {
    return this.#now;
  }

  wall(): number {
    return 1_700_000_000_000 + this.#now;
  }

  /** Calls `run` after that many milliseconds. */
  after(ms: number, run: () => void): void {
    this.#heap.push({ at: this.#now + ms, order: this.#order++, run });
    this.#up(this.#heap.length - 1);
  }

  /** Goes through all events; those that they ask for too. */
  run(): void {
    for (let next = this.#take(); next !== null; next = this.#take()) {
      this.#now = next.at;
      next.run();
    }
  }

  #take(): Due | null {
    const first = this.#heap[0];
    if (first === undefined) return null;
    const last = this.#heap.pop()!;
    if (this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#down();
    }
    return first;
  }

  #up(from: number): void {
    const heap = this.#heap;
    for (let at = from; at > 0;) {
      const above = (at - 1) >> 1;
      if (!isBefore(heap[at]!, heap[above]!)) return;
      [heap[at], heap[above]] = [heap[above]!, heap[at]!];
      at = above;
    }
  }

  #down(): void {
    const heap = this.#heap;
    for (let at = 0; ;) {
      let least = at;
      for (const below of [2 * at + 1, 2 * at + 2]) {
        if (below < heap.length && isBefore(heap[below]!, heap[least]!)) least = below;
      }
      if (least === at) return;
      [heap[at], heap[least]] = [heap[least]!, heap[at]!];
      at = least;
    }
  }
}

function isBefore(a: Due, b: Due): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
