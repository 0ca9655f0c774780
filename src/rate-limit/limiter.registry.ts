import { Injectable } from '@nestjs/common';

import type { Limiter, LimitNumbers } from './limit.js';
import type { MemoryLimitStore } from './stores/memory.store.js';
import { MemoryStores } from './stores/memory.stores.js';

/**
 * The limiters in force, by identity: who asks for the same id, key and numbers gets the same buckets, so they
 * outlive a reload. Other numbers under the same id are another limiter, so a document that is refused after all
 * has changed nothing; {@link retain} drops what no document uses any more.
 */
@Injectable()
export class LimiterRegistry {
  readonly #limiters = new Map<string, MemoryLimitStore>();

  constructor(private readonly stores: MemoryStores) {}

  /** `id` names the limit's place (route and position), `by` what its buckets are keyed by. */
  limiter(id: string, by: string, numbers: LimitNumbers): Limiter {
    const identity = limitIdentity(id, by, numbers);
    const known = this.#limiters.get(identity);
    if (known) return known;
    const opened = this.stores.open(numbers);
    this.#limiters.set(identity, opened);
    return opened;
  }

  /** Forgets every limiter that is not among these. */
  retain(used: ReadonlySet<Limiter>): void {
    for (const [identity, limiter] of this.#limiters) {
      if (used.has(limiter)) continue;
      this.#limiters.delete(identity);
      this.stores.close(limiter);
    }
  }
}

/** What a limit is known by, over reloads and in all gateways of a fleet. */
export function limitIdentity(id: string, by: string, numbers: LimitNumbers): string {
  const { algorithm, requests, perMs, capacity } = numbers;
  return [id, by, algorithm, requests, perMs, capacity].join(' ');
}
