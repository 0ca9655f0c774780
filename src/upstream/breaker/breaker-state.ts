import type { CircuitName, Permit } from '../../exchange/upstream.js';
import { RecentTimes } from './recent-times.js';

/** An exchange that was let through to a backend that failed before. */
export interface Probe extends Permit {
  /** Monotonic milliseconds; Infinity until its good head comes. */
  readonly headedAt: number;
  /** Since when its client's body has been coming in; Infinity while the gateway does not wait for it. */
  readonly uploadingSince: number;
}

/**
 * What is known of one backend's circuit. It lives across reloads; the breaker of each snapshot judges it by its own
 * settings.
 */
export class BreakerState {
  circuit: CircuitName = 'closed';
  /** Grows with every change, so that results of exchanges from before it are told apart. */
  period = 0;
  /** Monotonic milliseconds. */
  openedAt = 0;
  /** Closed: when the latest failures in a row were. */
  readonly failures = new RecentTimes();
  /** Closed: when the latest exchanges were judged; kept only while `min_requests` asks for it. */
  readonly judged = new RecentTimes();
  /** Half-open: those in flight. */
  readonly probes = new Set<Probe>();
  /** Half-open: probes that went well. */
  successes = 0;

  /** Nothing that was counted before the change counts after it. */
  change(circuit: CircuitName): void {
    this.circuit = circuit;
    this.period++;
    this.failures.clear();
    this.judged.clear();
    this.probes.clear();
    this.successes = 0;
  }
}
