import { describe, expect, it } from 'vitest';

import type { ExpectedStatus } from '../config/health-check.config.js';
import { statusMatcher } from './expected-status.js';

describe('expected status', () => {
  const rows: [ExpectedStatus, number[], number[]][] = [
    [200, [200], [199, 201, 204, 500]],
    ['200-399', [200, 204, 302, 399], [199, 400, 503]],
    [
      [200, '401-403', 429],
      [200, 401, 403, 429],
      [201, 400, 404],
    ],
    ['204', [204], [200]],
  ];
  it.each(rows)('%j', (expected, accepted, refused) => {
    const accepts = statusMatcher(expected);
    expect(accepted.filter((status) => !accepts(status))).toEqual([]);
    expect(refused.filter((status) => accepts(status))).toEqual([]);
  });
});
