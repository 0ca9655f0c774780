import type { Refusal } from '../../exchange/refusal.js';
import type { ResponseSource } from '../../exchange/response.js';
import type { Asked } from '../asked.js';
import type { StoredResponse } from '../cache-store.js';

/** What became of the one upstream request that others wait for. */
export type Landing =
  /** It was stored. */
  | { readonly kind: 'stored'; readonly stored: StoredResponse }
  /** The upstream fails, and this covers it. */
  | { readonly kind: 'covered'; readonly stored: StoredResponse }
  /** It is for nobody else, or took too long: everyone goes alone. */
  | { readonly kind: 'alone' }
  /** There is no answer. */
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** A request that waits. */
export interface Follower {
  readonly asked: Asked;
  landed(landing: Landing): void;
  /** The one that went is gone: this one goes, and the others wait for it. */
  lead(flight: Flight): void;
}

/** One upstream request for a key, and those that wait for its answer. */
export class Flight {
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiting>();

  constructor(private readonly over: () => void) {}

  /** @param waitMs longest wait */
  wait(follower: Follower, waitMs: number): void {
    this.#waiting.add(new Waiting(follower, this.#waiting, waitMs));
  }

  /** Tells everyone, and is over. */
  land(landing: Landing): void {
    this.over();
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const one of waiting) one.landed(landing);
  }

  /** Who went is gone without an answer. */
  leaderless(): void {
    for (const next of this.#waiting) {
      next.lead(this);
      return;
    }
    this.over();
  }
}

class Waiting implements ResponseSource {
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly follower: Follower,
    private readonly line: Set<Waiting>,
    waitMs: number,
  ) {
    this.#timer = setTimeout(() => this.landed({ kind: 'alone' }), waitMs);
    follower.asked.sink.source = this;
  }

  landed(landing: Landing): void {
    this.cancel();
    this.follower.landed(landing);
  }

  lead(flight: Flight): void {
    this.cancel();
    this.follower.lead(flight);
  }

  resume(): void {}

  /** The client left, or waits no more. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.line.delete(this);
    const { sink } = this.follower.asked;
    if (sink.source === this) sink.source = null;
  }
}
