import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { BreakerAccount, settings, step } from './breaker-account.fixture.js';

describe('the circuit breaker, whatever happens in whatever order', () => {
  it('changes exactly when its rules say so, and never has more probes than places', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(settings, fc.array(step, { maxLength: 300, size: 'max' }), (config, steps) => {
        const account = new BreakerAccount(config);
        for (const next of steps) account.run(next);
        for (const told of account.scene.told) seen.add(told);
      }),
      { numRuns: 500 },
    );
    expect([...seen].toSorted()).toEqual(['closed', 'half-open', 'open']);
  });
});
