import { expect, it } from 'vitest';

import type { Exchange } from '../../exchange/exchange.js';
import type { Route } from '../../exchange/route.js';
import { RetryCounts } from './retry-counts.js';

const on = (path: string): Exchange => ({ route: { path } }) as Exchange;

it('counts by path and reason, and forgets removed paths', () => {
  const counts = new RetryCounts();
  counts.retried(on('/a'), '503');
  counts.retried(on('/a'), '503');
  counts.retried(on('/a'), 'upstream_timeout');
  counts.retried(on('/b'), '502');
  expect([...counts.retriedCounts()]).toEqual([
    { path: '/a', reason: '503', count: 2 },
    { path: '/a', reason: 'upstream_timeout', count: 1 },
    { path: '/b', reason: '502', count: 1 },
  ]);
  counts.applied({ routes: [{ path: '/b' } as Route] });
  counts.retried(on('/a'), '503');
  expect([...counts.retriedCounts()]).toEqual([{ path: '/b', reason: '502', count: 1 }]);
});
