import type { Exchange } from '../../exchange/exchange.js';
import type { Backend } from '../../exchange/upstream.js';
import type { Admission, Balancer, BalancerFactory } from './balancer.js';

/**
 * Fewest exchanges in flight for its weight. An exchange counts until its response has ended or was aborted. Among
 * equals each gets its share by weight, by chance: so an idle upstream does not serve from its first backend alone,
 * and several gateways do not all begin with the same one.
 */
class LeastConnections implements Balancer {
  constructor(private readonly random: () => number) {}

  pick(backends: readonly Backend[], _exchange: Exchange, admission: Admission): Backend | null {
    let best: Backend | null = null;
    let least = Infinity;
    /** Parts of all that are as good as the best one. */
    let equals = 0;
    for (let index = 0; index < backends.length; index++) {
      const backend = backends[index]!;
      if (!admission.mayTake(backend)) continue;
      const part = backend.weight * admission.warmth(backend);
      const load = backend.state.inFlight / part;
      if (load > least) continue;
      equals = load < least ? part : equals + part;
      // Each newcomer replaces the best with its part of the whole: in the end all have had their part of a chance.
      if (load === least && this.random() * equals >= part) continue;
      best = backend;
      least = load;
    }
    return best;
  }
}

export const leastConnections: BalancerFactory = {
  name: 'least_connections',
  create: (_config, random) => new LeastConnections(random),
};
