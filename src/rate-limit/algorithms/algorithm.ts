import type { Decision, LimitNumbers } from '../limit.js';
import { TokenBucket } from './token-bucket.js';

/** The arithmetic of a limit over the state of one key; it holds no state itself. */
export interface LimitAlgorithm<State> {
  /**
   * Judges `cost` at `now` and writes the answer into `decision`. Returns the key's state from now on: the one
   * given when nothing was taken; undefined is a key that is not known.
   */
  take(state: State | undefined, cost: number, now: number, decision: Decision): State | undefined;
  /** The state without a `cost` that was taken. */
  refund(state: State, cost: number): State;
  /** When the key is as good as unknown and may be forgotten, in monotonic milliseconds. */
  idleAt(state: State): number;
}

/** The algorithm of a limit. Throws a RangeError for one that is not built. */
export function algorithmOf(numbers: LimitNumbers): LimitAlgorithm<number> {
  if (numbers.algorithm !== 'token_bucket') throw new RangeError(`no such algorithm: ${numbers.algorithm}`);
  return new TokenBucket(numbers);
}
