import type { BalancingConfig } from '../../config/upstream.config.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { Backend, TriedBackends } from '../../exchange/upstream.js';

/**
 * Chooses among the backends of one upstream. It lives across reloads: `backends` may be another list at any
 * call, and the list of an older snapshot may come back for exchanges that began on it.
 */
export interface Balancer {
  /** One that {@link mayTake} allows, or null when there is none. Allocates nothing. */
  pick(backends: readonly Backend[], exchange: Exchange, tried: TriedBackends | null): Backend | null;
}

export interface BalancerFactory {
  /** As `balancing` in the document names it. */
  readonly name: string;
  create(config: Readonly<BalancingConfig>): Balancer;
}

/** Whether a backend may be given this exchange: the one rule that all algorithms share. */
export function mayTake(backend: Backend, tried: TriedBackends | null): boolean {
  return backend.state.healthy && (tried === null || !tried.has(backend));
}
