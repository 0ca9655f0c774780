import type { BalancerFactory } from './balancer.js';
import { BalancerRegistry } from './balancer-registry.js';
import { ipHash } from './ip-hash.js';
import { leastConnections } from './least-connections.js';
import { random } from './random.js';
import { roundRobin } from './round-robin.js';
import { weightedRoundRobin } from './weighted-round-robin.js';

/** Every algorithm of the gateway: one file and one line here add another; `BALANCING` in config/ lets documents name it. */
export const BALANCER_FACTORIES: readonly BalancerFactory[] = [
  roundRobin,
  weightedRoundRobin,
  leastConnections,
  random,
  ipHash,
];

export const balancers = new BalancerRegistry(BALANCER_FACTORIES);
