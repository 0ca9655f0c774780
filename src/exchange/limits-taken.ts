/** What limits have taken for an exchange so far. */
export interface LimitsTaken {
  /** Gives all of it back, once: a later limit refused the exchange. `now` is monotonic milliseconds. */
  giveBack(now: number): void;
}
