import type { LimitAlgorithm } from '../algorithms/algorithm.js';
import { type Decision, type Limiter, type LimitNumbers, newDecision } from '../limit.js';

/** Keys one limit remembers at most, about 100 MB. */
export const MAX_KEYS = 1_048_576;
/** Keys looked at to make room for one. */
const SAMPLE = 16;

/**
 * The buckets of one limit in a Map. Idle keys go when {@link sweep} passes them. When `maxKeys` are known, a new
 * key takes the place of the one nearest to idle among a few: nobody is refused for want of memory, and who is
 * forgotten gains the least.
 */
export class MemoryLimitStore<State = unknown> implements Limiter {
  readonly #states = new Map<string, State>();
  /** Where the sweep stands; a Map's iterator survives deletions and meets keys that come later. */
  #hand: MapIterator<[string, State]> = this.#states.entries();

  constructor(
    readonly numbers: LimitNumbers,
    readonly algorithm: LimitAlgorithm<State>,
    readonly maxKeys = MAX_KEYS,
  ) {}

  /** Keys known. */
  get size(): number {
    return this.#states.size;
  }

  take(key: string, cost: number, now: number): Decision {
    const decision = newDecision();
    const state = this.#states.get(key);
    const next = this.algorithm.take(state, cost, now, decision);
    if (next === undefined || next === state) return decision;
    if (state === undefined && this.#states.size >= this.maxKeys) this.#makeRoom();
    this.#states.set(key, next);
    return decision;
  }

  refund(key: string, cost: number, stamp: number): void {
    const state = this.#states.get(key);
    if (state !== undefined) this.#states.set(key, this.algorithm.refund(state, cost, stamp));
  }

  /** Looks at up to `budget` keys and forgets the idle ones; returns how many it forgot. */
  sweep(budget: number, now: number): number {
    let forgotten = 0;
    for (let looked = 0; looked < budget; looked++) {
      const entry = this.#next();
      if (!entry) break;
      if (this.algorithm.idleAt(entry[1]) > now) continue;
      this.#states.delete(entry[0]);
      forgotten++;
    }
    return forgotten;
  }

  #makeRoom(): void {
    let victim = this.#next();
    for (let looked = 1; looked < SAMPLE; looked++) {
      const entry = this.#next();
      if (!victim || !entry) return;
      if (this.algorithm.idleAt(entry[1]) < this.algorithm.idleAt(victim[1])) victim = entry;
    }
    if (victim) this.#states.delete(victim[0]);
  }

  /** The entry after the one looked at last, in a circle. */
  #next(): [string, State] | undefined {
    const step = this.#hand.next();
    if (!step.done) return step.value;
    this.#hand = this.#states.entries();
    return this.#hand.next().value;
  }
}
