import { Flight } from './flight.js';

/** Keys that are remembered as not worth waiting for. */
const MAX_PASSED = 10_000;
/** How long, in milliseconds. */
const PASSED_MS = 60_000;

/** The upstream requests under way that others may wait for, by key. */
export class Flights {
  readonly #flights = new Map<string, Flight>();
  /** Keys whose last answer was for nobody else, and until when that is believed; the oldest first. */
  readonly #passed = new Map<string, number>();

  at(key: string): Flight | undefined {
    return this.#flights.get(key);
  }

  open(key: string): Flight {
    const flight: Flight = new Flight(() => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    });
    this.#flights.set(key, flight);
    return flight;
  }

  /** Answers for this key can't be shared: requests for it need not wait for each other. */
  pass(key: string, now: number): void {
    this.#passed.delete(key);
    this.#passed.set(key, now + PASSED_MS);
    if (this.#passed.size <= MAX_PASSED) return;
    for (const oldest of this.#passed.keys()) {
      this.#passed.delete(oldest);
      return;
    }
  }

  isPassed(key: string, now: number): boolean {
    const until = this.#passed.get(key);
    if (until === undefined) return false;
    if (until > now) return true;
    this.#passed.delete(key);
    return false;
  }

  /** An answer for the key was stored. */
  shared(key: string): void {
    if (this.#passed.size > 0) this.#passed.delete(key);
  }
}
