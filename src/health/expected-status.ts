import { statusSet } from '../common/status-set.js';
import type { ExpectedStatus } from '../config/health-check.config.js';

/** Whether a status is one of those that a probe expects: a number, a range `200-399`, or a list of either. */
export function statusMatcher(expected: ExpectedStatus): (status: number) => boolean {
  return statusSet([expected].flat());
}
