import type { Decision, LimitNumbers } from '../limit.js';
import { FixedWindow } from './fixed-window.js';
import { SlidingWindow } from './sliding-window.js';
import { TokenBucket } from './token-bucket.js';

/** The arithmetic of a limit over the state of one key; it holds no state itself. */
export interface LimitAlgorithm<State> {
  /**
   * Judges `cost` at `now` and writes the answer into `decision`. Returns the key's state from now on: undefined, or
   * the one given (perhaps changed in place), when there is nothing new to keep. Undefined is a key that is not known.
   */
  take(state: State | undefined, cost: number, now: number, decision: Decision): State | undefined;
  /** The state without a `cost` that was taken with this stamp. */
  refund(state: State, cost: number, stamp: number): State;
  /** When the key is as good as unknown and may be forgotten, in monotonic milliseconds. */
  idleAt(state: State): number;
  /** What its Lua twin is given: three numbers. */
  readonly luaArguments: readonly [number, number, number];
}

/** The algorithm of a limit, with the state that it alone understands. */
export function algorithmOf(numbers: LimitNumbers): LimitAlgorithm<unknown> {
  switch (numbers.algorithm) {
    case 'token_bucket':
      return new TokenBucket(numbers);
    case 'fixed_window':
      return new FixedWindow(numbers);
    case 'sliding_window':
      return new SlidingWindow(numbers);
  }
}
