import { describe, expect, it } from 'vitest';

import type { BalancingType } from '../../config/upstream.config.js';
import { BalancerRegistry } from './balancer-registry.js';
import { runBalancerContract } from './balancer.contract.js';
import { BALANCER_FACTORIES, balancers } from './index.js';
import { roundRobin } from './round-robin.js';

for (const factory of BALANCER_FACTORIES) {
  runBalancerContract(factory.name, () =>
    factory.create({ type: factory.name as BalancingType }, Math.random),
  );
}

describe('registry of algorithms', () => {
  it('finds each by its name', () => {
    for (const factory of BALANCER_FACTORIES) expect(balancers.named(factory.name)).toBe(factory);
  });

  it('refuses an unknown name and lists the known ones', () => {
    expect(() => balancers.named('roundrobin')).toThrow(/unknown algorithm roundrobin.*round_robin/);
    expect(() => balancers.named('constructor')).toThrow(/unknown algorithm/);
  });

  it('refuses two of one name', () => {
    expect(() => new BalancerRegistry([roundRobin, { ...roundRobin }])).toThrow(
      /two algorithms named round_robin/,
    );
  });
});
