import { describe, expect, it } from 'vitest';

import type { Backend } from '../../exchange/upstream.js';
import {
  admission,
  backendsNamed,
  backendWith,
  countPicks,
  exchangeFrom,
  expectShares,
  seededRandom,
} from './balancer.contract.js';
import type { Balancer } from './balancer.js';
import { random } from './random.js';

const make = (source = seededRandom()): Balancer => random.create({ type: 'random' }, source);
const anybody = exchangeFrom('127.0.0.1');

/** Gives these numbers, one after the other. */
function numbers(...given: number[]): () => number {
  return () => given.shift()!;
}

function pickOf(backends: readonly Backend[], ...drawn: number[]): string {
  return make(numbers(...drawn)).pick(backends, anybody, admission())!.id;
}

describe('random', () => {
  it('draws two and takes the one with fewer in flight', () => {
    const backends = backendsNamed('a', 'b', 'c');
    backends[0]!.state.inFlight = 5;
    backends[2]!.state.inFlight = 3;
    expect(pickOf(backends, 0, 0.9)).toBe('c');
    expect(pickOf(backends, 0.9, 0)).toBe('c');
    expect(pickOf(backends, 0.9, 0.9)).toBe('b');
  });

  it('draws two different ones, by weight', () => {
    const backends = [
      backendWith({ id: 'a', weight: 8 }),
      backendWith({ id: 'b' }),
      backendWith({ id: 'c' }),
    ];
    expect(pickOf(backends, 0.79, 0.4)).toBe('a');
    expect(pickOf(backends, 0.81, 0.99)).toBe('b');
    backends[0]!.state.inFlight = 1;
    expect(pickOf(backends, 0, 0.49)).toBe('b');
    expect(pickOf(backends, 0, 0.51)).toBe('c');
  });

  it('compares what is in flight for the weight', () => {
    const backends = [backendWith({ id: 'a', weight: 4 }), backendWith({ id: 'b' })];
    backends[0]!.state.inFlight = 3;
    backends[1]!.state.inFlight = 1;
    expect(pickOf(backends, 0.99, 0)).toBe('a');
  });

  it('takes the only one left without a second', () => {
    const backends = backendsNamed('a', 'b');
    backends[0]!.state.healthy = false;
    expect(pickOf(backends, 0.5, 0.5)).toBe('b');
  });

  it('picks one whatever rounding leaves', () => {
    const almostOne = 1 - 2 ** -53;
    const backends = [0.1, 0.2, 0.3].map((weight, index) => backendWith({ id: 'abc'[index]!, weight }));
    expect(pickOf(backends, almostOne, almostOne)).toBe('c');
  });

  it('spreads what is in flight far better than one choice would', () => {
    const backends = backendsNamed('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
    const balancer = make();
    for (let count = 0; count < 8_000; count++) balancer.pick(backends, anybody, admission())!.begin();
    const loads = backends.map(({ state }) => state.inFlight);
    // One choice: a standard deviation of about 30 for each.
    expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(10);
  });

  it('keeps to the weights of those that may be tried', () => {
    const backends = [1, 2, 3].map((weight, index) => backendWith({ id: 'abc'[index]!, weight }));
    const rules = admission([backends[1]!]);
    expectShares(countPicks(make(), backends, 50_000, rules), { a: 1, b: 0, c: 3 });
  });
});
