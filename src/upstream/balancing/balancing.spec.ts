import { describe, expect, it } from 'vitest';

import { BALANCING, type BalancingType } from '../../config/upstream.config.js';
import { BalancerRegistry } from './balancer-registry.js';
import { type ContractSkips, runBalancerContract, seededRandom } from './balancer.contract.js';
import { BALANCER_FACTORIES, balancers } from './index.js';
import { roundRobin } from './round-robin.js';

const SKIPS: Record<string, ContractSkips> = {
  round_robin: { weights: 'all weights above 0 are the same to it' },
  ip_hash: { warmth: 'a client that moves to a backend by and by would lose what is kept for it elsewhere' },
};

for (const factory of BALANCER_FACTORIES) {
  const make = () => factory.create({ type: factory.name as BalancingType }, seededRandom());
  runBalancerContract(factory.name, make, SKIPS[factory.name]);
}

describe('algorithms', () => {
  it('are those that a document may name', () => {
    expect(BALANCER_FACTORIES.map(({ name }) => name)).toEqual(BALANCING);
  });
});

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
