import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { CompiledBackend } from '../backend.js';
import { admission, admissionOf, backendWith, countPicks, exchangeFrom } from './balancer.contract.js';
import type { Balancer } from './balancer.js';
import { weightedRoundRobin } from './weighted-round-robin.js';

const make = (): Balancer => weightedRoundRobin.create({ type: 'weighted_round_robin' }, Math.random);
const anybody = exchangeFrom('127.0.0.1');

const weighted = (...weights: number[]): CompiledBackend[] =>
  weights.map((weight, index) => backendWith({ id: 'abcdefgh'[index]!, weight }));

function turns(balancer: Balancer, backends: readonly CompiledBackend[], count: number): string {
  return Array.from({ length: count }, () => balancer.pick(backends, anybody, admission())!.id).join('');
}

describe('weighted round robin', () => {
  it("lays a heavy backend's turns apart, like nginx", () => {
    expect(turns(make(), weighted(5, 1, 1), 14)).toBe('aabacaaaabacaa');
    expect(turns(make(), weighted(1, 1, 1), 6)).toBe('abcabc');
  });

  it('gives exact shares in every window as long as the sum of the weights', () => {
    const weights = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(weights, (parts) => {
        const backends = weighted(...parts);
        const sum = parts.reduce((total, part) => total + part, 0);
        const picked = turns(make(), backends, 3 * sum);
        for (let from = 0; from <= 2 * sum; from++) {
          const window = picked.slice(from, from + sum);
          expect(backends.map(({ id }) => window.split(id).length - 1)).toEqual(parts);
        }
      }),
    );
  });

  it('stays within two requests of exact shares after health or weights changed', () => {
    const phase = fc.record({
      healthy: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
      weights: fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 5, maxLength: 5 }),
      picks: fc.integer({ min: 0, max: 300 }),
    });
    fc.assert(
      fc.property(fc.array(phase, { minLength: 1, maxLength: 8 }), (phases) => {
        const balancer = make();
        const states = weighted(1, 1, 1, 1, 1).map(({ state }) => state);
        for (const { healthy, weights, picks } of phases) {
          const backends = weighted(...weights).map(({ id, weight }, index) =>
            backendWith({ id, weight, state: Object.assign(states[index]!, { healthy: healthy[index]! }) }),
          );
          if (!healthy.includes(true)) continue;
          const counts = countPicks(balancer, backends, picks);
          const fit = backends.filter(({ state }) => state.healthy);
          const sum = fit.reduce((total, { weight }) => total + weight, 0);
          for (const { id, weight } of fit)
            expect(Math.abs(counts[id]! - (picks * weight) / sum)).toBeLessThanOrEqual(2);
        }
      }),
    );
  });

  it('goes on where it was when a reload brings another list of the same backends', () => {
    const balancer = make();
    const before = weighted(5, 1, 1);
    expect(turns(balancer, before, 3)).toBe('aab');
    const after = before.map(({ id, weight, state }) => backendWith({ id, weight, state }));
    expect(turns(balancer, after, 4)).toBe('acaa');
  });

  it('does not let the others pay for a heavy one that went away', () => {
    const balancer = make();
    const backends = weighted(1_000, 1, 1);
    // Until one of the light ones has had its turn of the cycle and the other has not.
    while (balancer.pick(backends, anybody, admission()) === backends[0]);
    backends[0]!.state.healthy = false;
    expect(turns(balancer, backends, 6)).toBe('cbcbcb');
    backends[0]!.state.healthy = true;
    expect(turns(balancer, backends, 300)).toMatch(/^[bc]?a+[bc]?a*$/);
  });

  it('counts a warming backend by weight and warmth', () => {
    const backends = weighted(4, 2);
    backends[0]!.state.servingSince = 1_000;
    const rules = admissionOf({ slowStartMs: 1_000 }, () => 1_250).for(backends, null);
    expect(countPicks(make(), backends, 300, rules)).toEqual({ a: 100, b: 200 });
  });
});
