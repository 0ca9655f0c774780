import type { ExpectedStatus } from '../config/health-check.config.js';

interface StatusRange {
  readonly from: number;
  readonly to: number;
}

/** Whether a status is one of those that a probe expects: a number, a range `200-399`, or a list of either. */
export function statusMatcher(expected: ExpectedStatus): (status: number) => boolean {
  const ranges = [expected].flat().map(rangeOf);
  return (status) => ranges.some(({ from, to }) => status >= from && status <= to);
}

function rangeOf(text: number | string): StatusRange {
  const [from, to = from] = String(text).split('-').map(Number);
  return { from: from!, to: to! };
}
