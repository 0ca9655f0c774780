/** Milliseconds of one slice. */
export const SLICE_MS = 100;
/** Slices in 10 s, the one under way included. */
export const SLICES = 100;

/** Counts what happened of late, in slices of time: constant in memory and time, and without a timer. */
export class SlidingCount {
  readonly #slices: Uint32Array;
  /** Number of the slice under way, since the clock's origin. */
  #current = 0;
  #sum = 0;

  /** @param slices how many are counted, the one under way included */
  constructor(slices: number) {
    this.#slices = new Uint32Array(slices);
  }

  /** @param now monotonic milliseconds, as everywhere here */
  add(now: number): void {
    this.#advance(now);
    this.#slices[this.#current % this.#slices.length]!++;
    this.#sum++;
  }

  /** What happened in the slices counted. */
  at(now: number): number {
    this.#advance(now);
    return this.#sum;
  }

  #advance(now: number): void {
    const slice = Math.floor(now / SLICE_MS);
    const { length } = this.#slices;
    // What lies further back than all slices is forgotten whole.
    if (slice - this.#current > length) this.#current = slice - length;
    while (this.#current < slice) {
      const index = ++this.#current % length;
      this.#sum -= this.#slices[index]!;
      this.#slices[index] = 0;
    }
  }
}
