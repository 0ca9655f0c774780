import type { Duration } from '../common/duration.js';

/** What the health checker has to tell. */
export interface HealthEvents {
  /** The threshold of failures was reached: once per transition. `backend` is its url. */
  unhealthy(upstream: string, backend: string, err: string): void;
  /** The backend takes traffic again: once per transition. */
  recovered(upstream: string, backend: string): void;
  /** Probes of one kind began. */
  started(checker: CheckerStarted): void;
}

export interface CheckerStarted {
  /** How many backends are probed in this way. */
  readonly backends: number;
  /** null for tcp probes. */
  readonly path: string | null;
  readonly interval: Duration;
  readonly timeout: Duration;
}

/** Nest token of the {@link HealthEvents}. */
export const HEALTH_EVENTS = Symbol('HealthEvents');
