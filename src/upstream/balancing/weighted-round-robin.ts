import type { Exchange } from '../../exchange/exchange.js';
import type { Backend } from '../../exchange/upstream.js';
import type { Admission, Balancer, BalancerFactory } from './balancer.js';
import { PerBackend } from './per-backend.js';
import { Shares } from './shares.js';

/** How far a backend is behind its share (above 0) or ahead of it, in parts of which the total makes one request. */
interface Due {
  parts: number;
}

/**
 * The smooth way of nginx: at each pick everybody is due its part more, and who is due most takes the request and
 * is charged the total. While nothing changes, each run of as many picks as the weights' sum has exact shares, and
 * a heavy backend's turns lie apart instead of in a row.
 */
class WeightedRoundRobin implements Balancer {
  readonly #due = new PerBackend<Due>(() => ({ parts: 0 }));
  readonly #shares = new Shares();
  /** The total at the last pick. */
  #total = 0;

  pick(backends: readonly Backend[], _exchange: Exchange, admission: Admission): Backend | null {
    const shares = this.#shares;
    shares.measure(backends, admission);
    const { total } = shares;
    if (total === 0) return null;
    const due = this.#due.of(backends);
    if (total !== this.#total) this.#rescale(due, total);
    const best = this.#mostDue(due);
    due[best]!.parts -= total;
    return backends[best]!;
  }

  #mostDue(due: readonly Due[]): number {
    let best = -1;
    for (let index = 0; index < due.length; index++) {
      const part = this.#shares.of(index);
      if (part === 0) continue;
      const one = due[index]!;
      one.parts += part;
      if (best === -1 || one.parts > due[best]!.parts) best = index;
    }
    return best;
  }

  /**
   * Another total makes one request: what was due under the old one stays the same part of a request. Without this, a
   * backend that is ahead when a much heavier one goes away would get nothing for as long as the heavy one's weight.
   */
  #rescale(due: readonly Due[], total: number): void {
    if (this.#total > 0) for (const one of due) one.parts *= total / this.#total;
    this.#total = total;
  }
}

export const weightedRoundRobin: BalancerFactory = {
  name: 'weighted_round_robin',
  create: () => new WeightedRoundRobin(),
};
