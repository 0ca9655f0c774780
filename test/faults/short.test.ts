import { expect, it } from 'vitest';

import { ensureBuilt } from '../support/index.js';
import { runFaults } from './fault-run.js';

// The long one, with other seeds: npm run test:faults.
it('survives twelve seconds of faults of all kinds at once', { timeout: 120_000 }, async () => {
  await ensureBuilt();
  const report = await runFaults({ seed: 20261130, seconds: 12 });
  expect(report.violations).toEqual([]);
  expect(report.exchanges).toBeGreaterThan(500);
  expect(report.reloads).toBeGreaterThan(5);
});
