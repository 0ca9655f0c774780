import type { Decision, LimitNumbers } from '../limit.js';

/** What a limit says, but for the stamp, which is the algorithm's own business. */
export type Spoken = Omit<Decision, 'stamp'>;

/** The formal model of an algorithm: slow, and as simple as its definition. */
export interface Model {
  take(key: string, cost: number, now: number): Spoken;
}

export interface Taken {
  readonly key: string;
  readonly cost: number;
  /** When, by the store's clock. */
  readonly at: number;
}

/** A model that knows refunds by the take that they belong to. */
export interface RefundingModel extends Model {
  refund(taken: Taken, now: number): void;
}

export function modelOf(numbers: LimitNumbers): RefundingModel {
  if (numbers.algorithm === 'token_bucket') return new ModelBucket(numbers);
  return new ModelWindows(numbers, numbers.algorithm === 'fixed_window' ? fixedWeight : slidingWeight);
}

/**
 * The token bucket as the textbook has it: a count of tokens and the time it was true. A token is counted in
 * `perMs` parts, of which each millisecond brings `requests`, so that all numbers are whole.
 */
class ModelBucket implements RefundingModel {
  readonly #keys = new Map<string, { parts: number; at: number }>();

  constructor(readonly numbers: LimitNumbers) {}

  take(key: string, cost: number, now: number): Spoken {
    const { requests, perMs, capacity } = this.numbers;
    const bucket = this.#refilled(key, now);
    const missing = cost * perMs - bucket.parts;
    const allowed = missing <= 0;
    if (allowed) bucket.parts -= cost * perMs;
    return {
      allowed,
      remaining: Math.floor(bucket.parts / perMs),
      resetMs: (capacity * perMs - bucket.parts) / requests,
      retryMs: allowed ? 0 : missing / requests,
    };
  }

  refund({ key, cost }: Taken, now: number): void {
    const bucket = this.#refilled(key, now);
    bucket.parts = Math.min(bucket.parts + cost * this.numbers.perMs, this.#full);
  }

  get #full(): number {
    return this.numbers.capacity * this.numbers.perMs;
  }

  #refilled(key: string, now: number): { parts: number; at: number } {
    const bucket = this.#keys.get(key) ?? { parts: this.#full, at: now };
    bucket.parts = Math.min(bucket.parts + (now - bucket.at) * this.numbers.requests, this.#full);
    bucket.at = now;
    this.#keys.set(key, bucket);
    return bucket;
  }
}

/** How much a request of a window weighs at a time, in parts of `perMs`. */
type Weight = (window: number, now: number, perMs: number) => number;

const fixedWeight: Weight = (window, now, perMs) => (now < window + perMs ? perMs : 0);

/** All of it in its own window; in the next one as much as the moving window still overlaps its own. */
const slidingWeight: Weight = (window, now, perMs) => {
  const passed = now - window;
  if (passed < perMs) return perMs;
  return Math.max(0, perMs - (passed % perMs)) * (passed < 2 * perMs ? 1 : 0);
};

interface Counted {
  readonly taken: Taken;
  readonly window: number;
}

/**
 * Both window algorithms as what they are: a list of the requests that passed, each with the start of its window, and a
 * weight that each has at a time. All that is told follows from whether a request fits, tried out millisecond by
 * millisecond.
 */
class ModelWindows implements RefundingModel {
  readonly #keys = new Map<string, { start: number; passed: Counted[] }>();

  constructor(
    readonly numbers: LimitNumbers,
    readonly weight: Weight,
  ) {}

  take(key: string, cost: number, now: number): Spoken {
    const windows = this.#windows(key, now);
    const allowed = this.#fits(windows.passed, cost, now, windows.start);
    if (allowed && cost > 0) windows.passed.push({ taken: { key, cost, at: now }, window: windows.start });
    const { passed } = windows;
    return {
      allowed,
      remaining: this.#remaining(passed, now, windows.start),
      resetMs: this.#until(now, (at) => this.#weighs(passed, at) === 0),
      retryMs: allowed ? 0 : this.#until(now, (at) => this.#fits(passed, cost, at, windows.start)),
    };
  }

  refund({ key, cost, at }: Taken): void {
    const passed = this.#keys.get(key)?.passed ?? [];
    const index = passed.findIndex(({ taken }) => taken.cost === cost && taken.at === at);
    if (index >= 0) passed.splice(index, 1);
  }

  #fits(passed: readonly Counted[], cost: number, now: number, _start: number): boolean {
    return (
      this.#weighs(passed, now) + cost * this.numbers.perMs <= this.numbers.requests * this.numbers.perMs
    );
  }

  #weighs(passed: readonly Counted[], now: number): number {
    const { perMs } = this.numbers;
    return passed.reduce((sum, { taken, window }) => sum + taken.cost * this.weight(window, now, perMs), 0);
  }

  #remaining(passed: readonly Counted[], now: number, start: number): number {
    let cost = 0;
    while (this.#fits(passed, cost + 1, now, start)) cost++;
    return cost;
  }

  #until(now: number, is: (at: number) => boolean): number {
    let at = now;
    while (!is(at)) at++;
    return at - now;
  }

  /** The window of `now`: windows follow each other while something weighs, and begin anew when nothing does. */
  #windows(key: string, now: number): { start: number; passed: Counted[] } {
    const { perMs } = this.numbers;
    const windows = this.#keys.get(key) ?? { start: now, passed: [] };
    this.#keys.set(key, windows);
    windows.passed = windows.passed.filter(({ window }) => this.weight(window, now, perMs) > 0);
    if (windows.passed.length === 0) windows.start = now;
    while (now >= windows.start + perMs) windows.start += perMs;
    return windows;
  }
}
