import { LiveList } from '../common/live-list.js';
import type { ResponseWriter } from './response-writer.js';

/** The exchanges under way; what a drain waits for. */
export class ActiveExchanges {
  readonly #writers = new LiveList<ResponseWriter>();
  #idle: (() => void) | null = null;
  /** Set as soon as a stop begins to drain: every answer then says `Connection: close`. */
  draining = false;
  /** Exchanges that have ended since the start. */
  ended = 0;

  get size(): number {
    return this.#writers.size;
  }

  add(writer: ResponseWriter): void {
    this.#writers.add(writer);
  }

  remove(writer: ResponseWriter): void {
    this.#writers.remove(writer);
    this.ended++;
    if (this.#writers.size === 0) this.#idle?.();
  }

  /** Takes leave of WebSockets; resolves when nothing is under way any more, or after `graceMs`: with the number still running then. */
  async drain(graceMs: number): Promise<number> {
    this.#writers.visit((writer) => writer.goAway());
    if (this.#writers.size === 0) return 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idle = resolve;
    const timer = setTimeout(resolve, graceMs);
    await promise;
    clearTimeout(timer);
    this.#idle = null;
    return this.#writers.size;
  }

  /** Ends everything at once. */
  cut(): void {
    this.#writers.visit((writer) => writer.cut());
  }
}
