import { textHash } from '../../common/text-hash.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { Backend } from '../../exchange/upstream.js';
import { drawnFor } from '../rendezvous.js';
import type { Admission, Balancer, BalancerFactory } from './balancer.js';
import { PerBackend } from './per-backend.js';

/**
 * Weighted rendezvous of client address and backend id: a backend that comes or goes takes or leaves its own share
 * alone, an unavailable one's clients spread over the others by weight, and every gateway chooses the same.
 */
class IpHash implements Balancer {
  readonly #seeds = new PerBackend<number>((backend) => textHash(backend.id));

  pick(backends: readonly Backend[], exchange: Exchange, admission: Admission): Backend | null {
    const seeds = this.#seeds.of(backends);
    const client = textHash(exchange.clientIp);
    let best: Backend | null = null;
    let least = Infinity;
    for (let index = 0; index < backends.length; index++) {
      const backend = backends[index]!;
      if (!admission.mayTake(backend)) continue;
      const drawn = drawnFor(client, seeds[index]!, backend.weight);
      if (drawn >= least) continue;
      least = drawn;
      best = backend;
    }
    return best;
  }
}

export const ipHash: BalancerFactory = { name: 'ip_hash', create: () => new IpHash() };
