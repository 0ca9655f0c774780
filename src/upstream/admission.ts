import type { Clock } from '../common/clock.js';
import type { Backend, TriedBackends } from '../exchange/upstream.js';
import type { Admission } from './balancing/balancer.js';

/** What a backend gets at the very start of its slow start: enough to show that it works. */
const COLDEST = 0.1;

export interface AdmissionSettings {
  /** Milliseconds; 0 = none. */
  readonly slowStartMs: number;
  /** Percent of healthy backends below which health is not asked; 0 = always asked. */
  readonly panicThreshold: number;
}

/** The rules for one upstream. One object for all picks: `for` sets what the next one is about. */
export class UpstreamAdmission implements Admission {
  #tried: TriedBackends | null = null;
  #panic = false;

  constructor(
    private readonly settings: AdmissionSettings,
    private readonly clock: Clock,
  ) {}

  for(backends: readonly Backend[], tried: TriedBackends | null): this {
    this.#tried = tried;
    if (this.settings.panicThreshold > 0) this.#panic = this.#tooFewHealthy(backends);
    return this;
  }

  mayTake(backend: Backend): boolean {
    return this.isOpen(backend) && hasRoom(backend) && !this.wasTried(backend);
  }

  wasTried(backend: Backend): boolean {
    return this.#tried !== null && this.#tried.has(backend);
  }

  warmth({ state }: Backend): number {
    const { slowStartMs } = this.settings;
    if (slowStartMs === 0 || state.servingSince === 0) return 1;
    const part = (this.clock.now() - state.servingSince) / slowStartMs;
    if (part < 1) return Math.max(part, COLDEST);
    state.servingSince = 0;
    return 1;
  }

  /** Fit to serve, whether or not it has room now. */
  isOpen(backend: Backend): boolean {
    return this.isFit(backend) && (backend.breaker === null || backend.breaker.admits());
  }

  isFit({ state }: Backend): boolean {
    return (state.healthy || this.#panic) && !state.draining;
  }

  /** Among those that could serve: a draining one that is healthy helps nobody. */
  #tooFewHealthy(backends: readonly Backend[]): boolean {
    let serving = 0;
    let healthy = 0;
    for (const { state } of backends) {
      if (state.draining) continue;
      serving++;
      if (state.healthy) healthy++;
    }
    return healthy * 100 < this.settings.panicThreshold * serving;
  }
}

function hasRoom({ maxInFlight, state }: Backend): boolean {
  return maxInFlight === 0 || state.inFlight < maxInFlight;
}
