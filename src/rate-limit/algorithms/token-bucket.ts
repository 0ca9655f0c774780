import type { Decision, LimitNumbers } from '../limit.js';
import type { LimitAlgorithm } from './algorithm.js';

/**
 * A token bucket as GCRA (ITU-T I.371): the state of a key is one number, the theoretical arrival time (TAT) at
 * which its bucket is full. A request moves it on by the time of one token, and is refused when it would then
 * lie further ahead than the time of a whole bucket.
 *
 * Time is counted in ticks, the largest unit of which a millisecond and a token both are a whole number. So all
 * sums are exact integers, and no number of requests lets a rounding error grow into a token.
 */
export class TokenBucket implements LimitAlgorithm<number> {
  readonly #ticksPerMs: number;
  readonly #ticksPerToken: number;
  readonly #ticksPerBucket: number;

  constructor({ requests, perMs, capacity }: Pick<LimitNumbers, 'requests' | 'perMs' | 'capacity'>) {
    const divisor = greatestCommonDivisor(requests, perMs);
    this.#ticksPerMs = requests / divisor;
    this.#ticksPerToken = perMs / divisor;
    this.#ticksPerBucket = this.#ticksPerToken * capacity;
  }

  take(tat: number | undefined, cost: number, now: number, decision: Decision): number | undefined {
    const tick = Math.floor(now * this.#ticksPerMs);
    const from = tat === undefined || tat < tick ? tick : tat;
    const next = from + cost * this.#ticksPerToken;
    const room = tick + this.#ticksPerBucket - next;
    if (room < 0) {
      this.#write(decision, tick, from, -room);
      return tat;
    }
    this.#write(decision, tick, next, 0);
    return cost === 0 ? tat : next;
  }

  refund(tat: number, cost: number): number {
    return tat - cost * this.#ticksPerToken;
  }

  idleAt(tat: number): number {
    return tat / this.#ticksPerMs;
  }

  #write(decision: Decision, tick: number, tat: number, wait: number): void {
    const tokens = Math.floor((tick + this.#ticksPerBucket - tat) / this.#ticksPerToken);
    decision.allowed = wait === 0;
    // A caller with an older `now` may see a bucket that owes.
    decision.remaining = tokens > 0 ? tokens : 0;
    decision.resetMs = (tat - tick) / this.#ticksPerMs;
    decision.retryMs = wait / this.#ticksPerMs;
  }
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
