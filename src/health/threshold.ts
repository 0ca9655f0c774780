import type { Clock } from '../common/clock.js';
import type { HealthCheckConfig } from '../config/health-check.config.js';
import type { BackendState } from '../exchange/upstream.js';

/** Probes in a row that spoke against the backend's present state; lives as long as that state. */
export interface ProbeStreak {
  length: number;
}

export type Thresholds = Pick<HealthCheckConfig, 'healthy_threshold' | 'unhealthy_threshold'>;

/**
 * Counts one probe. The state turns only after as many contrary probes in a row as the threshold asks for; a
 * single one that agrees with it starts the count anew, so alternating answers never flap. True when it turned.
 */
export function countProbe(
  state: BackendState,
  streak: ProbeStreak,
  passed: boolean,
  thresholds: Readonly<Thresholds>,
  clock: Clock,
): boolean {
  if (passed === state.healthy) {
    streak.length = 0;
    return false;
  }
  streak.length++;
  const threshold = passed ? thresholds.healthy_threshold : thresholds.unhealthy_threshold;
  if (streak.length < threshold) return false;
  streak.length = 0;
  if (passed) recover(state, clock);
  else state.healthy = false;
  return true;
}

/** The backend takes part again, at first with the part of its share that `slow_start` leaves it. */
export function recover(state: BackendState, clock: Clock): void {
  state.healthy = true;
  state.servingSince = clock.now();
}
