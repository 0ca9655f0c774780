import type { Exchange } from '../../exchange/exchange.js';
import type { Backend } from '../../exchange/upstream.js';
import type { Admission, Balancer, BalancerFactory } from './balancer.js';
import { Shares } from './shares.js';

/**
 * The power of two choices: two different backends are drawn by weight, and the one with fewer exchanges in flight
 * for its weight takes the request; of equals the one that was drawn first. Nearly as even as least connections,
 * without all gateways rushing to one backend that has just become idle.
 */
class RandomOfTwo implements Balancer {
  readonly #shares = new Shares();

  constructor(private readonly random: () => number) {}

  pick(backends: readonly Backend[], _exchange: Exchange, admission: Admission): Backend | null {
    this.#shares.measure(backends, admission);
    const first = this.#draw(backends.length, -1);
    if (first === -1) return null;
    const second = this.#draw(backends.length, first);
    if (second === -1) return backends[first]!;
    return backends[this.#load(backends, second) < this.#load(backends, first) ? second : first]!;
  }

  /** -1 when there is none beside the one that is left out. */
  #draw(count: number, leftOut: number): number {
    const shares = this.#shares;
    const total = leftOut === -1 ? shares.total : shares.total - shares.of(leftOut);
    let rest = this.random() * total;
    let drawn = -1;
    for (let index = 0; index < count; index++) {
      const part = shares.of(index);
      if (part === 0 || index === leftOut) continue;
      // Where rounding leaves a rest behind the last one, the last one has it.
      drawn = index;
      rest -= part;
      if (rest < 0) break;
    }
    return drawn;
  }

  #load(backends: readonly Backend[], index: number): number {
    return backends[index]!.state.inFlight / this.#shares.of(index);
  }
}

export const random: BalancerFactory = {
  name: 'random',
  create: (_config, source) => new RandomOfTwo(source),
};
