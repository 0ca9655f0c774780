import type { BalancerFactory } from './balancer.js';
import { BalancerRegistry } from './balancer-registry.js';
import { roundRobin } from './round-robin.js';

/** Every algorithm of the gateway: one file and one line here add another. */
export const BALANCER_FACTORIES: readonly BalancerFactory[] = [roundRobin];

export const balancers = new BalancerRegistry(BALANCER_FACTORIES);
