import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit, Optional } from '@nestjs/common';

import { CLOCK, type Clock, systemClock } from '../../common/clock.js';
import { algorithmOf } from '../algorithms/algorithm.js';
import type { LimitNumbers } from '../limit.js';
import { MemoryLimitStore } from './memory.store.js';

/** Keys looked at in one go: less than a millisecond. */
const SLICE = 5_000;
const PAUSE_MS = 1_000;
/** Pause while much of what is looked at is idle: a million keys go within seconds. */
const SHORT_PAUSE_MS = 10;

/** All limits that this process keeps in memory, swept by one timer in bounded slices. */
@Injectable()
export class MemoryStores implements OnModuleInit, OnModuleDestroy {
  readonly #stores = new Set<MemoryLimitStore>();
  /** Where the sweep stands; a Set's iterator survives deletions and meets stores that come later. */
  #hand = this.#stores.values();
  #timer: NodeJS.Timeout | null = null;

  constructor(@Optional() @Inject(CLOCK) private readonly clock: Clock = systemClock) {}

  open(numbers: LimitNumbers): MemoryLimitStore {
    const store = new MemoryLimitStore(numbers, algorithmOf(numbers));
    this.#stores.add(store);
    return store;
  }

  /** Forgets the store; who still holds it may use it to the end of its request. */
  close(store: MemoryLimitStore): void {
    this.#stores.delete(store);
  }

  onModuleInit(): void {
    this.#schedule(PAUSE_MS);
  }

  onModuleDestroy(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Looks at one slice of keys, going on where the last one ended; returns the pause until the next, in ms. */
  sweep(): number {
    const now = this.clock.now();
    let budget = SLICE;
    let forgotten = 0;
    // Every store at most once a slice, so that empty ones end it too.
    for (let left = this.#stores.size; left > 0 && budget > 0; left--) {
      const store = this.#nextStore();
      const looked = Math.min(budget, store.size);
      forgotten += store.sweep(looked, now);
      budget -= looked;
    }
    return forgotten > SLICE / 4 ? SHORT_PAUSE_MS : PAUSE_MS;
  }

  #nextStore(): MemoryLimitStore {
    const step = this.#hand.next();
    if (!step.done) return step.value;
    this.#hand = this.#stores.values();
    return this.#nextStore();
  }

  #schedule(pause: number): void {
    this.#timer = setTimeout(() => this.#schedule(this.sweep()), pause);
    this.#timer.unref();
  }
}
