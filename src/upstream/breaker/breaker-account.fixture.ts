import assert from 'node:assert/strict';

import fc from 'fast-check';

import type { CircuitBreakerConfig } from '../../config/upstream.config.js';
import type { Outcome, Permit } from '../../exchange/upstream.js';
import { BreakerScene } from './breaker.fixture.js';

const MS = 100;

/** Settings of all kinds; `window` and `cooldown` stay the same. */
export const settings = fc.record({
  failures: fc.integer({ min: 1, max: 4 }),
  window: fc.constant(`${10 * MS}ms` as const),
  min_requests: fc.constantFrom(0, 0, 3, 6),
  cooldown: fc.constant(`${5 * MS}ms` as const),
  half_open_requests: fc.integer({ min: 1, max: 3 }),
  successes: fc.integer({ min: 1, max: 4 }),
});

const outcome = fc.constantFrom<Outcome>('success', 'failure', 'failure', 'abandoned');
/** What may happen to a breaker. */
export const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('begin' as const) }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('settle' as const), which: fc.nat(20), outcome }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('headed' as const), which: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('uploading' as const), which: fc.nat(20) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('wait' as const), ms: fc.nat(4 * MS) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('reload' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

type Settings = Omit<CircuitBreakerConfig, 'statuses'>;

interface Flight {
  readonly permit: Permit;
  /** How many changes the circuit had told of when it began; -1 once its place was taken from it. */
  period: number;
  headedAt: number;
  uploadingSince: number;
}

interface Judged {
  readonly at: number;
  readonly failed: boolean;
}

/** The breaker beside a plain account of what it was told, by which each of its changes is judged. */
export class BreakerAccount {
  readonly scene: BreakerScene;
  readonly flights: Flight[] = [];
  /** What was judged since it closed. */
  judged: Judged[] = [];
  /** Successes since it became half-open. */
  successes = 0;

  constructor(readonly config: Settings) {
    this.scene = new BreakerScene(config);
  }

  get period(): number {
    return this.scene.told.length;
  }

  get last(): string {
    return this.scene.told.at(-1) ?? 'closed';
  }

  run(next: Step): void {
    const before = this.period;
    if (next.type === 'begin') this.begin();
    else if (next.type === 'wait') this.scene.time += next.ms;
    else if (next.type === 'reload') this.scene.reload(this.config);
    else this.flight(next);
    if (this.period > before && this.last !== 'closed') this.successes = 0;
    if (this.last !== 'closed') this.judged = [];
  }

  /** The exchanges of this period that hold a place by the rules. */
  get holding(): Flight[] {
    const due = this.scene.time - 5 * MS;
    return this.flights.filter(
      ({ period, headedAt, uploadingSince }) =>
        period === this.period && headedAt > due && uploadingSince > due,
    );
  }

  private begin(): void {
    this.countLong();
    const before = this.period;
    const admits = this.scene.breaker.admits();
    this.checkAsked(admits, before);
    if (!admits) return;
    const { period } = this;
    this.flights.push({
      permit: this.scene.breaker.begin(),
      period,
      headedAt: Infinity,
      uploadingSince: Infinity,
    });
    if (this.last === 'half-open') assert(this.holding.length <= this.config.half_open_requests);
  }

  /** Good heads that are a cooldown old count when the breaker is asked. */
  private countLong(): void {
    if (this.last !== 'half-open') return;
    const due = this.scene.time - 5 * MS;
    const long = this.flights.filter(({ period, headedAt }) => period === this.period && headedAt <= due);
    for (const flight of long) {
      this.successes++;
      flight.period = -1;
    }
    const slow = this.flights.filter(
      ({ period, uploadingSince }) => period === this.period && uploadingSince <= due,
    );
    for (const flight of slow) flight.period = -1;
  }

  private checkAsked(admits: boolean, before: number): void {
    if (this.period > before) {
      const change = this.scene.told.slice(before).join();
      if (change === 'closed') assert(this.successes >= this.config.successes);
      else assert.equal(change, 'half-open');
    }
    const open = this.last === 'open';
    const full = this.holding.length >= this.config.half_open_requests;
    assert.equal(admits, !open && !(this.last === 'half-open' && full));
  }

  private flight(next: Exclude<Step, { type: 'begin' | 'wait' | 'reload' }>): void {
    if (this.flights.length === 0) return;
    const at = next.which % this.flights.length;
    const flight = this.flights[at]!;
    if (next.type === 'headed') {
      flight.permit.headed();
      flight.headedAt = this.scene.time;
    } else if (next.type === 'uploading') {
      flight.permit.uploading(true);
      flight.uploadingSince = this.scene.time;
    } else {
      this.flights.splice(at, 1);
      this.settle(flight, next.outcome);
    }
  }

  private settle({ permit, period }: Flight, result: Outcome): void {
    const [before, last] = [this.period, this.last];
    const current = period === before;
    permit.settle(result);
    const change = this.scene.told.slice(before).join();
    if (!current || result === 'abandoned') return assert.equal(change, '');
    if (last === 'closed') return this.settledClosed(result, change);
    assert.equal(last, 'half-open');
    if (result === 'failure') return assert.equal(change, 'open');
    this.successes++;
    assert.equal(change, this.successes >= this.config.successes ? 'closed' : '');
  }

  private settledClosed(result: Outcome, change: string): void {
    const { failures, min_requests } = this.config;
    const now = this.scene.time;
    this.judged.push({ at: now, failed: result === 'failure' });
    const row = this.judged.slice(-failures);
    const recent = this.judged.filter(({ at }) => at >= now - 10 * MS);
    const opens =
      row.length === failures &&
      row.every(({ at, failed }) => failed && at >= now - 10 * MS) &&
      recent.length >= min_requests;
    assert.equal(change, opens ? 'open' : '');
  }
}
