/** Slots of forgotten moments before the list is packed. */
const SLACK = 64;

/**
 * The latest moments (monotonic milliseconds, never going back) at which something happened: at most so many, so that
 * memory is bounded by what is asked of them.
 */
export class RecentTimes {
  #times: number[] = [];
  #first = 0;

  get size(): number {
    return this.#times.length - this.#first;
  }

  add(at: number, atMost: number): void {
    this.#times.push(at);
    if (this.size > atMost) this.#first = this.#times.length - atMost;
    this.#pack();
  }

  /** Forgets what is older than that moment. */
  forgetBefore(moment: number): void {
    while (this.#first < this.#times.length && this.#times[this.#first]! < moment) this.#first++;
    this.#pack();
  }

  clear(): void {
    if (this.#times.length > 0) this.#times = [];
    this.#first = 0;
  }

  /** Now and then, so that a moment costs the same however many are kept. */
  #pack(): void {
    if (this.#first < SLACK || this.#first < this.size) return;
    this.#times.splice(0, this.#first);
    this.#first = 0;
  }
}
