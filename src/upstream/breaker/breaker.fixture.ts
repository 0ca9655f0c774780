import { CircuitBreakerConfig } from '../../config/upstream.config.js';
import type { Breaker } from '../../exchange/upstream.js';
import { breakerFor } from './index.js';

/** A breaker with a clock that the test moves, and what it told of itself. */
export class BreakerScene {
  time = 1_000;
  readonly told: string[] = [];
  clockReads = 0;
  breaker: Breaker;

  constructor(settings: Partial<CircuitBreakerConfig> = {}) {
    this.breaker = this.compile(settings, null)!;
  }

  /** As a reload does: the circuit goes on, by other settings; null = without `circuit_breaker`. */
  reload(settings: Partial<CircuitBreakerConfig>): void {
    this.breaker = this.compile(settings, this.breaker)!;
  }

  compile(settings: Partial<CircuitBreakerConfig> | null, before: Breaker | null): Breaker | null {
    const config = settings && Object.assign(new CircuitBreakerConfig(), settings);
    return breakerFor(config, before, { upstream: 'u', url: 'http://b' }, this);
  }

  readonly clock = {
    now: (): number => {
      this.clockReads++;
      return this.time;
    },
    wall: (): number => this.time,
  };

  readonly events = {
    circuitOpened: (): void => void this.told.push('open'),
    circuitHalfOpen: (): void => void this.told.push('half-open'),
    circuitClosed: (): void => void this.told.push('closed'),
  };

  /** So many exchanges, one after the other. */
  fail(count = 1): void {
    for (let n = 0; n < count; n++) this.breaker.begin().settle('failure');
  }

  succeed(count = 1): void {
    for (let n = 0; n < count; n++) this.breaker.begin().settle('success');
  }

  /** Opens it and waits until it may be tried. */
  toHalfOpen(failures: number, cooldownMs: number): void {
    this.fail(failures);
    this.time += cooldownMs;
    if (!this.breaker.admits()) throw new Error('still open');
  }
}
