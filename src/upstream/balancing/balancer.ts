import type { BalancingConfig } from '../../config/upstream.config.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { Backend } from '../../exchange/upstream.js';

/**
 * Chooses among the backends of one upstream. It lives across reloads: `backends` may be another list at any
 * call, and the list of an older snapshot may come back for exchanges that began on it.
 */
export interface Balancer {
  /**
   * One that the admission lets take it, or null when there is none. Allocates nothing while the list stays the same.
   * @param backends none of weight 0
   */
  pick(backends: readonly Backend[], exchange: Exchange, admission: Admission): Backend | null;
}

/** What may take an exchange at this moment, and how much: the rules that all algorithms share. Good for one pick. */
export interface Admission {
  /** Healthy, not draining, its circuit not open, room for one more, not tried yet. */
  mayTake(backend: Backend): boolean;
  /** From 0.1 to 1: the part of its usual share that a backend gets while `slow_start` runs. */
  warmth(backend: Backend): number;
  /** The exchange has had it, in vain. */
  wasTried(backend: Backend): boolean;
}

export interface BalancerFactory {
  /** As `balancing` in the document names it. */
  readonly name: string;
  /** @param random from 0 to below 1 */
  create(config: Readonly<BalancingConfig>, random: () => number): Balancer;
}
