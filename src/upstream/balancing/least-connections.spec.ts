import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Backend } from '../../exchange/upstream.js';
import type { CompiledBackend } from '../backend.js';
import {
  admission,
  admissionOf,
  backendsNamed,
  backendWith,
  countPicks,
  exchangeFrom,
  expectShares,
  seededRandom,
} from './balancer.contract.js';
import type { Balancer } from './balancer.js';
import { leastConnections } from './least-connections.js';

const make = (): Balancer => leastConnections.create({ type: 'least_connections' }, seededRandom());
const anybody = exchangeFrom('127.0.0.1');

/** Picks, and leaves the exchange in flight. */
function begin(balancer: Balancer, backends: readonly Backend[]): Backend {
  const picked = balancer.pick(backends, anybody, admission())!;
  picked.begin();
  return picked;
}

const inFlight = (backends: readonly Backend[]) => backends.map(({ state }) => state.inFlight);

describe('least connections', () => {
  it('takes the one with the fewest for its weight', () => {
    const backends = [backendWith({ id: 'a', weight: 1 }), backendWith({ id: 'b', weight: 4 })];
    Object.assign(backends[0]!.state, { inFlight: 2 });
    Object.assign(backends[1]!.state, { inFlight: 7 });
    expect(begin(make(), backends).id).toBe('b');
    backends[1]!.state.inFlight = 9;
    expect(begin(make(), backends).id).toBe('a');
  });

  it('keeps what is in flight within one of each other while nothing ends', () => {
    const backends = backendsNamed('a', 'b', 'c');
    const balancer = make();
    for (let count = 0; count < 100; count++) {
      begin(balancer, backends);
      expect(Math.max(...inFlight(backends)) - Math.min(...inFlight(backends))).toBeLessThanOrEqual(1);
    }
  });

  it('never adds to one while another has less for its weight, whatever begins and ends', () => {
    const weights = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(weights, fc.array(fc.nat(), { maxLength: 200 }), (parts, steps) => {
        const backends = parts.map((weight, index) => backendWith({ id: String(index), weight }));
        const balancer = make();
        const running: Backend[] = [];
        for (const step of steps) {
          if (step % 3 === 0 && running.length > 0) {
            running.splice(step % running.length, 1)[0]!.end(null, 'success');
            continue;
          }
          const loads = backends.map(({ state, weight }) => state.inFlight / weight);
          const picked = begin(balancer, backends) as CompiledBackend;
          expect(loads[backends.indexOf(picked)]).toBe(Math.min(...loads));
          running.push(picked);
        }
      }),
    );
  });

  it('gives a backend that answers three times slower a third of the requests of the others', () => {
    const [served, backends] = simulate({ a: 30, b: 10, c: 10 }, 60_000);
    expectShares(served, { a: 1, b: 3, c: 3 });
    expect(inFlight(backends).reduce((sum, one) => sum + one, 0)).toBe(30);
  });

  it('gives none but its first to one that does not answer at all', () => {
    const [served] = simulate({ a: Infinity, b: 10, c: 10 }, 20_000);
    expect(served['a']).toBe(10);
  });

  it('counts what is in flight by the warmth of a new backend', () => {
    const backends = backendsNamed('a', 'b');
    backends[1]!.state.servingSince = 1_000;
    const rules = admissionOf({ slowStartMs: 1_000 }, () => 1_250).for(backends, null);
    const balancer = make();
    for (let count = 0; count < 100; count++) balancer.pick(backends, anybody, rules)!.begin();
    expect(inFlight(backends)).toEqual([80, 20]);
  });

  it('gives no share of a tie to one that has more', () => {
    const backends = backendsNamed('a', 'b', 'c');
    backends[0]!.state.inFlight = 1;
    expectShares(countPicks(make(), backends, 50_000), { a: 0, b: 1, c: 1 });
  });

  it('breaks ties by weight', () => {
    const backends = [backendWith({ id: 'a', weight: 1 }), backendWith({ id: 'b', weight: 3 })];
    expectShares(countPicks(make(), backends, 50_000), { a: 1, b: 3 });
  });
});

/** 30 clients that send the next request when the last one is answered; `times` is how long each backend takes. */
function simulate(times: Record<string, number>, requests: number): [Record<string, number>, Backend[]] {
  const backends = Object.keys(times).map((id) => backendWith({ id }));
  const balancer = make();
  const running: { backend: Backend; endsAt: number }[] = [];
  const served: Record<string, number> = {};
  let now = 0;
  for (let count = 0; count < requests; count++) {
    if (running.length === 30) {
      running.sort((one, other) => one.endsAt - other.endsAt);
      const { backend, endsAt } = running.shift()!;
      backend.end(null, 'success');
      now = endsAt;
    }
    const backend = begin(balancer, backends);
    running.push({ backend, endsAt: now + times[backend.id]! });
    served[backend.id] = (served[backend.id] ?? 0) + 1;
  }
  return [served, backends];
}
