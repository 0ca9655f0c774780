import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Backend, TriedBackends } from '../../exchange/upstream.js';
import type { Balancer } from './balancer.js';
import { admission, admissionOf, backendsNamed, exchangeFrom } from './balancer.contract.js';
import { roundRobin } from './round-robin.js';

const make = (): Balancer => roundRobin.create({ type: 'round_robin' }, Math.random);
const anybody = exchangeFrom('127.0.0.1');

function turns(
  balancer: Balancer,
  backends: readonly Backend[],
  count: number,
  tried: TriedBackends | null = null,
) {
  let text = '';
  for (let turn = 0; turn < count; turn++)
    text += balancer.pick(backends, anybody, admission(tried))?.id ?? '-';
  return text;
}

describe('round robin', () => {
  it('goes round in the order of the document', () => {
    expect(turns(make(), backendsNamed('a', 'b', 'c'), 7)).toBe('abcabca');
  });

  it('gives the neighbour of an unhealthy one no second share', () => {
    const backends = backendsNamed('a', 'b', 'c', 'd');
    backends[1]!.state.healthy = false;
    expect(turns(make(), backends, 9)).toBe('acdacdacd');
  });

  it('takes a recovered one in at its place', () => {
    const balancer = make();
    const backends = backendsNamed('a', 'b', 'c');
    backends[1]!.state.healthy = false;
    expect(turns(balancer, backends, 3)).toBe('aca');
    backends[1]!.state.healthy = true;
    expect(turns(balancer, backends, 4)).toBe('bcab');
  });

  it('goes on behind the next one when the first was tried', () => {
    const balancer = make();
    const backends = backendsNamed('a', 'b', 'c');
    expect(turns(balancer, backends, 1)).toBe('a');
    expect(turns(balancer, backends, 1, new Set([backends[0]!]))).toBe('b');
    expect(turns(balancer, backends, 3)).toBe('cab');
  });

  it('does not begin each exchange with the one that refused the last', () => {
    const tries = (...ids: string[]) => {
      const balancer = make();
      const backends = backendsNamed(...ids);
      return Array.from({ length: 4 }, () => {
        const first = balancer.pick(backends, anybody, admission())!;
        const dead = first.id === 'a';
        return first.id + (dead ? balancer.pick(backends, anybody, admission([first]))!.id : '');
      });
    };
    expect(tries('a', 'b')).toEqual(['ab', 'b', 'ab', 'b']);
    expect(tries('a', 'b', 'c')).toEqual(['ab', 'c', 'ab', 'c']);
  });

  it('gives a warming backend each tenth of its turns, at its place in the order', () => {
    const backends = backendsNamed('a', 'b', 'c');
    backends[1]!.state.servingSince = 1_000;
    const rules = admissionOf({ slowStartMs: 1_000 }, () => 1_000).for(backends, null);
    const balancer = make();
    const order = Array.from({ length: 42 }, () => balancer.pick(backends, anybody, rules)!.id).join('');
    expect(order).toBe(`${'ac'.repeat(9)}abc`.repeat(2));
  });

  it('keeps the turn when a reload adds, removes and reorders', () => {
    const balancer = make();
    const [a, b, c, d] = backendsNamed('a', 'b', 'c', 'd') as Backend[] as [
      Backend,
      Backend,
      Backend,
      Backend,
    ];
    expect(turns(balancer, [a, b, c], 1)).toBe('a');
    expect(turns(balancer, [d, c, b, a], 2)).toBe('ba');
    expect(turns(balancer, [a, c], 3)).toBe('cac');
    expect(turns(balancer, [a, b], 2)).toBe('ab');
  });

  it('gives healthy backends shares that differ by one at most, however health changes', () => {
    const phase = fc.record({
      health: fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }),
      picks: fc.integer({ min: 0, max: 60 }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), fc.array(phase, { maxLength: 12 }), (count, phases) => {
        const balancer = make();
        const backends = backendsNamed('a', 'b', 'c', 'd', 'e', 'f', 'g').slice(0, count);
        for (const { health, picks } of phases) {
          for (const [index, backend] of backends.entries()) backend.state.healthy = health[index]!;
          const shares = new Map(backends.filter((one) => one.state.healthy).map((one) => [one.id, 0]));
          for (const id of turns(balancer, backends, picks)) shares.set(id, (shares.get(id) ?? 0) + 1);
          if (!backends.some((one) => one.state.healthy)) continue;
          expect(Math.max(...shares.values()) - Math.min(...shares.values())).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});
