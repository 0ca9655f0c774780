import type { Backend } from '../../exchange/upstream.js';
import type { Admission } from './balancer.js';

/** The part of the requests that is due to each backend at this moment; one object for all picks. */
export class Shares {
  #parts = new Float64Array(0);
  /** Sum of the parts; 0 = nobody may take one. */
  total = 0;

  /** Weight by warmth for those that may take the exchange, 0 for the others. */
  measure(backends: readonly Backend[], admission: Admission): void {
    if (this.#parts.length < backends.length) this.#parts = new Float64Array(backends.length);
    this.total = 0;
    for (let index = 0; index < backends.length; index++) {
      const backend = backends[index]!;
      const part = admission.mayTake(backend) ? backend.weight * admission.warmth(backend) : 0;
      this.#parts[index] = part;
      this.total += part;
    }
  }

  /** By the index in the list that was measured. */
  of(index: number): number {
    return this.#parts[index]!;
  }
}
