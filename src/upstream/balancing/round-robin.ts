import type { Exchange } from '../../exchange/exchange.js';
import type { Backend } from '../../exchange/upstream.js';
import type { Admission, Balancer, BalancerFactory } from './balancer.js';
import { PerBackend } from './per-backend.js';

/** Ten tenths are a little less than one in floating point. */
const A_TURN = 1 - 1e-9;

/** What a warming backend has saved up: it takes a turn when that makes one whole. */
interface Savings {
  turns: number;
}

/**
 * One after the other, weights above 0 being all the same. The position moves to behind whatever was picked, not by
 * one for each pick: so the backend after an unhealthy one gets no second share, and the healthy ones differ by one
 * pick at most. It also moves past those that the exchange has tried in vain, so that the next exchange does not
 * begin with one of them.
 */
class RoundRobin implements Balancer {
  #backends: readonly Backend[] = [];
  /** Index of the backend whose turn it is. */
  #next = 0;
  readonly #savings = new PerBackend<Savings>(() => ({ turns: 0 }));

  pick(backends: readonly Backend[], _exchange: Exchange, admission: Admission): Backend | null {
    if (backends !== this.#backends) this.#moveTo(backends);
    const count = backends.length;
    let allowed = false;
    for (let step = 0, index = this.#next; ; step++, index++) {
      if (index >= count) index = 0;
      if (step === count) {
        if (!allowed) return null;
        // All that may take it are warming: so many rounds until one of them has saved up a turn.
        allowed = false;
        step = 0;
      }
      const backend = backends[index]!;
      if (!admission.mayTake(backend)) continue;
      allowed = true;
      if (this.#takesTurn(index, admission.warmth(backend))) return this.#taken(index, admission);
    }
  }

  #takesTurn(index: number, warmth: number): boolean {
    if (warmth >= 1) return true;
    const savings = this.#savings.of(this.#backends)[index]!;
    savings.turns += warmth;
    if (savings.turns < A_TURN) return false;
    savings.turns--;
    return true;
  }

  #taken(index: number, admission: Admission): Backend {
    const backends = this.#backends;
    const count = backends.length;
    let next = index + 1 < count ? index + 1 : 0;
    while (next !== index && admission.wasTried(backends[next]!)) next = next + 1 < count ? next + 1 : 0;
    this.#next = next;
    return backends[index]!;
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
