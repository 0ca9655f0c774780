/** Time as the rooms see it: injected, so that tests move it by hand. */
export interface Clock {
  /** Monotonic milliseconds, with fractions. */
  now(): number;
  /** Milliseconds since the Unix epoch. */
  wall(): number;
}

/** Nest token of the {@link Clock}. */
export const CLOCK = Symbol('Clock');

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
};
