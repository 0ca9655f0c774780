import { describe, expect, it } from 'vitest';

import { type Algorithm, type Outcome, type Settings, Traffic } from './traffic.js';

/** A failing seed is printed with the failure; `SEED=… npx vitest run test/simulation` plays it again. */
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const ALGORITHMS: readonly Algorithm[] = [
  'round_robin',
  'weighted_round_robin',
  'least_connections',
  'random',
  'ip_hash',
];

const CALM: Omit<Settings, 'seed' | 'algorithm'> = {
  requests: 20_000,
  rate: 1_000,
  weights: [1, 1, 1],
  moods: ['fine', 'fine', 'fine'],
  steady: true,
  retry: false,
  breaker: false,
  maxInFlight: 0,
  leaving: 0,
};

function play(settings: Omit<Settings, 'seed'>): Outcome {
  return new Traffic({ ...settings, seed: SEED }).run();
}

describe(`simulated traffic, seed ${SEED}`, () => {
  it.each(ALGORITHMS)('keeps all invariants while backends misbehave (%s)', (algorithm) => {
    const outcome = play({
      ...CALM,
      algorithm,
      requests: 100_000,
      weights: [1, 2, 3, 1],
      moods: ['fine', 'fine', 'fine', 'slow', 'failing', 'refusing', 'hanging', 'resetting', 'flaky'],
      retry: true,
      breaker: true,
      maxInFlight: 200,
      steady: false,
      leaving: 0.02,
    });
    expect(outcome.faults).toEqual([]);
    // Otherwise the run showed nothing.
    expect(outcome.circuitsOpened).toBeGreaterThan(0);
    expect(outcome.retries).toBeGreaterThan(0);
    // Enough of both kinds; how many backends are down at once is the seed's.
    expect(outcome.reasons.get('200')).toBeGreaterThan(25_000);
  });

  it('keeps the retry budget while most of what is sent fails', () => {
    const moods = ['failing', 'resetting', 'flaky'] as const;
    const outcome = play({ ...CALM, algorithm: 'random', moods, retry: true });
    expect(outcome.faults).toEqual([]);
    // The budget was what kept them: without one there would be several for each request that may be repeated.
    expect(outcome.retries).toBeGreaterThan(0.15 * CALM.requests);
    expect(outcome.reasons.get('503')).toBeGreaterThan(1_000);
  });

  // Random looks at the load too, and so differs from the weights on purpose.
  it.each(['weighted_round_robin', 'ip_hash'] as const)('meets weights within 1 %% (%s)', (algorithm) => {
    const weights = [1, 2, 5];
    const { faults, served } = play({ ...CALM, algorithm, weights, requests: 100_000 });
    expect(faults).toEqual([]);
    const total = served.reduce((sum, count) => sum + count, 0);
    for (const [at, weight] of weights.entries()) {
      expect(Math.abs(served[at]! / total - weight / 8)).toBeLessThan(0.01);
    }
  });

  it('spreads by connections in flight, whatever backends take', () => {
    const { faults, spread } = play({
      ...CALM,
      algorithm: 'least_connections',
      moods: ['fine', 'slow', 'fine'],
    });
    expect(faults).toEqual([]);
    // A backend may have finished several since the one before; no other algorithm comes near this.
    expect(spread).toBeLessThanOrEqual(12);
    const { spread: others } = play({ ...CALM, algorithm: 'round_robin', moods: ['fine', 'slow', 'fine'] });
    expect(others).toBeGreaterThan(50);
  });

  it('tells every client of a reset, and sends nothing again without a policy', () => {
    const moods = ['resetting', 'resetting', 'resetting'] as const;
    const outcome = play({ ...CALM, algorithm: 'round_robin', moods, requests: 2_000 });
    expect(outcome.reasons.get('upstream_unavailable')).toBe(2_000);
    expect(outcome.faults).toEqual([]);
  });
});
