import type { Clock } from '../common/clock.js';
import type { Backend } from '../exchange/upstream.js';
import type { HealthCheck } from './health-check.js';
import type { HealthEvents } from './health-events.js';
import type { ProbeGate } from './probe-gate.js';
import { failureText } from './probe.js';
import { countProbe, type ProbeStreak } from './threshold.js';

/** What all watches share. */
export interface WatchTools {
  readonly events: HealthEvents;
  readonly gate: ProbeGate;
  readonly clock: Clock;
}

/** The probes of one backend, one at a time. */
export class Watch {
  #running: Promise<void> | null = null;
  /** Ends the probe that runs. */
  #abort: AbortController | null = null;
  #stopped = false;

  constructor(
    /** As the snapshot in force has it. */
    public backend: Backend,
    private readonly check: HealthCheck,
    private readonly streak: ProbeStreak,
    private readonly tools: WatchTools,
  ) {}

  /** Probes now. One that still runs is not doubled: its end is the end of both. */
  probe(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Ends a running probe without counting it; nothing is probed or counted from now on. */
  stop(): void {
    this.#stopped = true;
    this.#abort?.abort();
  }

  async #run(): Promise<void> {
    await this.tools.gate.enter();
    if (this.#stopped) return;
    const failure = await this.#probeInTime();
    if (!this.#stopped) this.#count(failure);
  }

  async #probeInTime(): Promise<string | null> {
    const abort = (this.#abort = new AbortController());
    const expire = () => abort.abort(new Error(`timeout after ${this.check.config.timeout}`));
    // An answer that lies in the socket already has come in time, even when this process was too busy to read
    // it: the poll phase between timer and immediate lets it win.
    const timer = setTimeout(() => setImmediate(expire), this.check.timeoutMs);
    try {
      return await this.check.probe(this.backend, abort.signal);
    } catch (error) {
      return failureText(error, abort.signal);
    } finally {
      clearTimeout(timer);
      this.#abort = null;
    }
  }

  #count(failure: string | null): void {
    const { state, upstream, url } = this.backend;
    const { clock, events } = this.tools;
    if (!countProbe(state, this.streak, failure === null, this.check.config, clock)) return;
    if (failure === null) {
      events.recovered(upstream, url);
      this.backend.returned();
    } else events.unhealthy(upstream, url, failure);
  }
}
