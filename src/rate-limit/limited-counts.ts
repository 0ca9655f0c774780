import { Injectable } from '@nestjs/common';

import type { LimitedCount, LimitedCounts } from '../exchange/telemetry.js';

/** One series of `gateway_rate_limited_total`: a plain number that a refusal adds to. */
export interface LimitedCounter extends LimitedCount {
  count: number;
}

/** Refused requests by route path and limit; series of routes that are gone go with them. */
@Injectable()
export class LimitedCounters implements LimitedCounts {
  readonly #counters = new Map<string, LimitedCounter>();

  /** The counter of a route's limit; routes that share a path share it. */
  counter(path: string, limit: string): LimitedCounter {
    const identity = `${limit} ${path}`;
    let counter = this.#counters.get(identity);
    if (!counter) this.#counters.set(identity, (counter = { path, limit, count: 0 }));
    return counter;
  }

  limitedCounts(): Iterable<LimitedCount> {
    return this.#counters.values();
  }

  /** Forgets every counter that is not among these. */
  retain(used: ReadonlySet<LimitedCounter>): void {
    for (const [identity, counter] of this.#counters) if (!used.has(counter)) this.#counters.delete(identity);
  }
}
