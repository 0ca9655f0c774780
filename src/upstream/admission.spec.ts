import { describe, expect, it } from 'vitest';

import { admissionOf, backendsNamed, backendWith, OPEN } from './balancing/balancer.contract.js';

describe('admission', () => {
  it.each([
    ['healthy and idle', {}, true],
    ['unhealthy', { healthy: false }, false],
    ['draining', { draining: true }, false],
    ['full', { inFlight: 3 }, false],
    ['nearly full', { inFlight: 2 }, true],
  ])('of one that is %s: %j', (_, state, expected) => {
    const backend = backendWith({ id: 'a', maxInFlight: 3 });
    Object.assign(backend.state, state);
    expect(admissionOf({}).for([backend], null).mayTake(backend)).toBe(expected);
  });

  it('does not bound what has no bound', () => {
    const backend = backendWith({ id: 'a' });
    backend.state.inFlight = 1_000_000;
    expect(admissionOf({}).for([backend], null).mayTake(backend)).toBe(true);
  });

  it('tells what was tried, for the pick it was set for', () => {
    const [a, b] = backendsNamed('a', 'b') as [
      ReturnType<typeof backendWith>,
      ReturnType<typeof backendWith>,
    ];
    const rules = admissionOf({}).for([a, b], new Set([a]));
    expect([rules.wasTried(a), rules.mayTake(a), rules.mayTake(b)]).toEqual([true, false, true]);
    rules.for([a, b], null);
    expect([rules.wasTried(a), rules.mayTake(a)]).toEqual([false, true]);
  });

  describe('in a panic', () => {
    /** `U` healthy, `d` unhealthy, `D` healthy but draining. */
    const backendsOf = (text: string) =>
      Array.from(text, (letter, index) => {
        const backend = backendWith({ id: String(index) });
        Object.assign(backend.state, { healthy: letter !== 'd', draining: letter === 'D' });
        return backend;
      });

    it.each([
      ['Uddd', 0, 'U...'],
      ['dddd', 0, '....'],
      ['Uddd', 25, 'U...'],
      ['Uddd', 25.1, 'Uddd'],
      ['UUdd', 50, 'UU..'],
      ['UUdd', 51, 'UUdd'],
      ['dddd', 1, 'dddd'],
      ['UUUd', 100, 'UUUd'],
      ['UUUU', 100, 'UUUU'],
      ['DDdU', 50, '...U'],
      ['DDdd', 1, '..dd'],
      ['DD', 100, '..'],
    ])('%s with panic_threshold %d: %s', (text, panicThreshold, expected) => {
      const backends = backendsOf(text);
      const rules = admissionOf({ panicThreshold }).for(backends, null);
      const taken = backends.map((backend, index) => (rules.mayTake(backend) ? text[index] : '.'));
      expect(taken.join('')).toBe(expected);
    });

    it('asks circuit and bound still', () => {
      const backends = [backendWith({ id: 'a', breaker: OPEN }), backendWith({ id: 'b', maxInFlight: 1 })];
      for (const { state } of backends) Object.assign(state, { healthy: false, inFlight: 1 });
      const rules = admissionOf({ panicThreshold: 50 }).for(backends, null);
      expect(backends.map((backend) => rules.mayTake(backend))).toEqual([false, false]);
    });

    it('is over at the first pick with enough healthy ones', () => {
      const backends = backendsOf('ddU');
      const rules = admissionOf({ panicThreshold: 50 });
      expect(rules.for(backends, null).mayTake(backends[0]!)).toBe(true);
      backends[1]!.state.healthy = true;
      expect(rules.for(backends, null).mayTake(backends[0]!)).toBe(false);
    });
  });

  describe('slow start', () => {
    it.each([
      [0, 0.1],
      [50, 0.1],
      [250, 0.25],
      [999, 0.999],
      [1_000, 1],
    ])('%d ms after the beginning: %d', (age, expected) => {
      const backend = backendWith({ id: 'a' });
      backend.state.servingSince = 5_000;
      expect(admissionOf({ slowStartMs: 1_000 }, () => 5_000 + age).warmth(backend)).toBeCloseTo(expected);
    });

    it('asks for the time only while a backend warms up', () => {
      let reads = 0;
      const clock = () => 1_000 + reads++ * 0;
      const [old, young] = backendsNamed('a', 'b');
      young!.state.servingSince = 500;
      expect(admissionOf({ slowStartMs: 0 }, clock).warmth(young!)).toBe(1);
      const rules = admissionOf({ slowStartMs: 400 }, clock);
      expect(rules.warmth(old!)).toBe(1);
      expect(reads).toBe(0);
      expect([rules.warmth(young!), rules.warmth(young!)]).toEqual([1, 1]);
      expect(reads).toBe(1);
    });
  });
});
