import type { Clock } from '../../common/clock.js';
import type { Breaker, CircuitName, Outcome, Permit } from '../../exchange/upstream.js';
import type { UpstreamEvents } from '../upstream-events.js';
import type { BreakerSettings } from './breaker-settings.js';
import type { BreakerState, Probe } from './breaker-state.js';

/** While half-open with all places taken: any of them may become free, nobody knows when. In milliseconds. */
const SOON = 1;

/** Which backend, for the log. */
export interface BreakerSubject {
  readonly upstream: string;
  readonly url: string;
}

export interface BreakerTools {
  readonly clock: Clock;
  readonly events: UpstreamEvents;
}

/** The rules of one backend's circuit (docs/circuit-breaker.md). There is no timer: what time changes is seen when it is asked for. */
export class CircuitBreaker implements Breaker {
  /** Shared by all exchanges of one closed period: nothing is allocated for them. */
  #closedPermit: ClosedPermit;

  constructor(
    readonly state: BreakerState,
    private readonly settings: BreakerSettings,
    private readonly subject: BreakerSubject,
    private readonly tools: BreakerTools,
  ) {
    this.#closedPermit = new ClosedPermit(this, state.period);
  }

  /** Reading it changes nothing, so a scrape of the metrics is not what makes a circuit half-open. */
  get circuit(): CircuitName {
    const { circuit } = this.state;
    return circuit === 'open' && this.#cooldownLeft() <= 0 ? 'half-open' : circuit;
  }

  admits(): boolean {
    const { state } = this;
    if (state.circuit === 'closed') return true;
    if (state.circuit === 'open') {
      if (this.#cooldownLeft() > 0) return false;
      this.#halfOpen();
    }
    this.#freePlaces();
    return !this.#isHalfOpen || this.#hasPlace;
  }

  begin(): Permit {
    if (this.state.circuit === 'closed') return this.#permitWhileClosed();
    const probe = new ProbePermit(this);
    this.state.probes.add(probe);
    return probe;
  }

  outcomeOf(status: number): Outcome {
    return this.settings.isFailure(status) ? 'failure' : 'success';
  }

  waitMs(): number {
    if (this.state.circuit === 'open') return Math.max(0, this.#cooldownLeft());
    return this.#isHalfOpen && !this.#hasPlace ? SOON : 0;
  }

  get now(): number {
    return this.tools.clock.now();
  }

  /** An exchange of a closed period is over. */
  judge(outcome: Outcome, period: number): void {
    if (outcome === 'abandoned' || period !== this.state.period) return;
    if (outcome === 'failure') this.#failed();
    else this.#succeeded();
  }

  /** A probe is over. One that no longer has its place belongs to a period that has passed, or was counted already. */
  judgeProbe(outcome: Outcome, probe: Probe): void {
    if (!this.state.probes.delete(probe) || !this.#isHalfOpen) return;
    if (outcome === 'failure') this.#open(this.now);
    else if (outcome === 'success') this.#probeSucceeded();
  }

  #permitWhileClosed(): Permit {
    const { period } = this.state;
    if (this.#closedPermit.period !== period) this.#closedPermit = new ClosedPermit(this, period);
    return this.#closedPermit;
  }

  // Closed.

  #succeeded(): void {
    this.state.failures.clear();
    if (this.settings.minRequests > 0) this.#count(this.now);
  }

  #failed(): void {
    const { state, now } = this;
    const { failures, windowMs, minRequests } = this.settings;
    state.failures.add(now, failures);
    state.failures.forgetBefore(now - windowMs);
    if (minRequests > 0) this.#count(now);
    if (state.failures.size >= failures && state.judged.size >= minRequests) this.#open(now);
  }

  #count(now: number): void {
    const { judged } = this.state;
    judged.add(now, this.settings.minRequests);
    judged.forgetBefore(now - this.settings.windowMs);
  }

  // Half-open.

  get #isHalfOpen(): boolean {
    return this.state.circuit === 'half-open';
  }

  get #hasPlace(): boolean {
    return this.state.probes.size < this.settings.halfOpenRequests;
  }

  /**
   * Long bodies hold a place for one cooldown at most: an answer's after its good head, which tells enough, and one
   * that a client is slow to send, which tells nothing.
   */
  #freePlaces(): void {
    const { probes } = this.state;
    if (probes.size === 0) return;
    const due = this.now - this.settings.cooldownMs;
    for (const probe of probes) {
      if (probe.headedAt <= due) this.judgeProbe('success', probe);
      else if (probe.uploadingSince <= due) this.judgeProbe('abandoned', probe);
    }
  }

  #probeSucceeded(): void {
    if (++this.state.successes >= this.settings.successes) this.#close();
  }

  // Changes.

  #cooldownLeft(): number {
    return this.state.openedAt + this.settings.cooldownMs - this.now;
  }

  #open(now: number): void {
    this.state.change('open');
    this.state.openedAt = now;
    this.tools.events.circuitOpened(this.subject.upstream, this.subject.url);
  }

  #halfOpen(): void {
    this.state.change('half-open');
    this.tools.events.circuitHalfOpen(this.subject.upstream, this.subject.url);
  }

  #close(): void {
    this.state.change('closed');
    this.tools.events.circuitClosed(this.subject.upstream, this.subject.url);
  }
}

class ClosedPermit implements Permit {
  constructor(
    private readonly breaker: CircuitBreaker,
    readonly period: number,
  ) {}

  uploading(): void {}

  headed(): void {}

  settle(outcome: Outcome): void {
    this.breaker.judge(outcome, this.period);
  }
}

class ProbePermit implements Probe {
  headedAt = Infinity;
  uploadingSince = Infinity;

  constructor(private readonly breaker: CircuitBreaker) {}

  uploading(on: boolean): void {
    this.uploadingSince = on ? this.breaker.now : Infinity;
  }

  headed(): void {
    this.headedAt = this.breaker.now;
  }

  settle(outcome: Outcome): void {
    this.breaker.judgeProbe(outcome, this);
  }
}
