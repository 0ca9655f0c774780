import { beforeAll, describe, expect, it } from 'vitest';

import { mayFailAnywhere, NOT_PASSED, REQUIRED_PASSES, WHOLE_GROUPS } from './expected.js';
import { type CacheTestResult, runCacheSuite } from './suite.js';

/** Half of the tests pause for three seconds. */
const TIMEOUT = 150_000;

describe('the public test suite of HTTP caches', () => {
  let results: CacheTestResult[];
  let required: CacheTestResult[];
  let failed: CacheTestResult[];

  beforeAll(async () => {
    results = await runCacheSuite({});
    required = results.filter(({ kind }) => kind === 'required');
    failed = results.filter(({ kind, error }) => kind !== 'check' && error !== null);
  }, TIMEOUT);

  it('ran whole', () => {
    expect(required).toHaveLength(165);
    expect(results.filter(({ error }) => error === 'it did not run')).toEqual([]);
  });

  it('passes all but the tests listed with a reason', () => {
    const surprises = failed.filter(({ id }) => !(id in NOT_PASSED));
    expect(surprises.map(({ id, error }) => `${id}: ${error}`)).toEqual([]);
  });

  it('lists none that passes', () => {
    const ids = new Set(failed.map(({ id }) => id));
    expect(Object.keys(NOT_PASSED).filter((id) => !ids.has(id))).toEqual([]);
  });

  it('passes no fewer of the required tests than ever', () => {
    expect(required.filter(({ error }) => error === null).length).toBeGreaterThanOrEqual(REQUIRED_PASSES);
  });

  it.each(WHOLE_GROUPS)('fails no required test of %s', (group) => {
    expect(results.some((result) => result.group === group)).toBe(true);
    const bad = failed.filter((result) => result.group === group && result.kind === 'required');
    expect(bad.filter(({ id }) => !mayFailAnywhere(id))).toEqual([]);
  });
});
