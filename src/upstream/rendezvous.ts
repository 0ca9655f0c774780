import { mixBits, unitOf } from '../common/text-hash.js';

/**
 * The number that one of several draws for a client: the least of all wins. It depends on nobody else, so who comes or
 * goes takes or leaves a share of its own alone. An exponential draw of the rate `weight` is the least of all with the
 * probability of the weight's share.
 *
 * @param client hash of the client
 * @param seed hash of the one that draws
 */
export function drawnFor(client: number, seed: number, weight: number): number {
  return -Math.log(unitOf(mixBits(client ^ seed))) / weight;
}
