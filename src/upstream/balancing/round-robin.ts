import type { Exchange } from '../../exchange/exchange.js';
import type { Backend } from '../../exchange/upstream.js';
import type { Admission, Balancer, BalancerFactory } from './balancer.js';

/**
 * One after the other. The position moves to behind whatever was picked, not by one for each pick: so the
 * backend after an unhealthy one gets no second share, and the healthy ones differ by one pick at most.
 */
class RoundRobin implements Balancer {
  #backends: readonly Backend[] = [];
  /** Index of the backend whose turn it is. */
  #next = 0;

  pick(backends: readonly Backend[], _exchange: Exchange, admission: Admission): Backend | null {
    if (backends !== this.#backends) this.#moveTo(backends);
    const count = backends.length;
    for (let step = 0, index = this.#next; step < count; step++, index++) {
      if (index >= count) index = 0;
      const backend = backends[index]!;
      if (!admission.mayTake(backend)) continue;
      this.#next = index + 1 < count ? index + 1 : 0;
      return backend;
    }
    return null;
  }

  /** Another list: the turn stays with the backend that had it, or with the next one that is still there. */
  #moveTo(backends: readonly Backend[]): void {
    const before = this.#backends;
    this.#backends = backends;
    for (let step = 0; step < before.length; step++) {
      const index = indexOfId(backends, before[(this.#next + step) % before.length]!.id);
      if (index === -1) continue;
      this.#next = index;
      return;
    }
    this.#next = 0;
  }
}

function indexOfId(backends: readonly Backend[], id: string): number {
  for (let index = 0; index < backends.length; index++) if (backends[index]!.id === id) return index;
  return -1;
}

export const roundRobin: BalancerFactory = { name: 'round_robin', create: () => new RoundRobin() };
