import type { Clock } from '../../common/clock.js';
import type { KeySetEvents } from './key-set-events.js';
import type { KeySource } from './key-source.js';
import { KeySet } from './key-set.js';
import type { TokenHeader } from './token-header.js';
import type { VerificationKey } from './verification-key.js';

/** Fetches a JWK set. Rejects when it does not come in time, whole and well-formed. */
export type FetchKeySet = () => Promise<unknown>;

export interface RemoteKeysSettings {
  /** Where the keys come from, as logs show it. */
  readonly source: string;
  readonly fetch: FetchKeySet;
  readonly cooldownMs: number;
  readonly maxAgeMs: number;
}

/** Pause after a fetch that failed. */
const RETRY_MS = 2_000;
/** Longest delay that timers take. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The keys of a JWK set, fetched again each time they reach their age: a timer of its own finds keys that left the set,
 * also when nobody asks. A set that can't be fetched leaves the one before in force.
 */
export class RemoteKeys implements KeySource {
  #keys = KeySet.EMPTY;
  #known = false;
  #failed = false;
  #fetching: Promise<void> | null = null;
  #failedAt = -Infinity;
  #askedAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #retired = false;

  constructor(
    private readonly settings: RemoteKeysSettings,
    private readonly events: KeySetEvents,
    private readonly clock: Clock,
  ) {}

  keyFor(header: TokenHeader): VerificationKey | null | Promise<VerificationKey | null> {
    const key = this.#keys.find(header);
    if (key !== null || !this.#mayFetch()) return key;
    return this.#fetch().then(() => this.#keys.find(header));
  }

  inForce(): void {
    if (!this.#known) void this.#fetch();
  }

  retire(): void {
    clearTimeout(this.#timer);
    this.#retired = true;
  }

  /**
   * Whether a key that is not known may be asked for. Parallel ones wait for the same fetch. Once there are keys,
   * whoever invents key ids gets one fetch in each cooldown.
   */
  #mayFetch(): boolean {
    if (this.#fetching !== null) return true;
    const now = this.clock.now();
    if (!this.#known) return now - this.#failedAt >= RETRY_MS;
    if (now - this.#askedAt < this.settings.cooldownMs) return false;
    this.#askedAt = now;
    return true;
  }

  #fetch(): Promise<void> {
    this.#fetching ??= this.#take();
    return this.#fetching;
  }

  async #take(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      this.#took(KeySet.parse(await this.settings.fetch(), this.#keys));
    } catch (error) {
      this.#missed(error);
    }
    this.#fetching = null;
  }

  #took(next: KeySet): void {
    this.#keys.giveWayTo(next);
    this.#keys = next;
    this.#known = true;
    if (this.#failed) this.events.recovered(this.settings.source);
    this.#failed = false;
    this.#fetchIn(this.settings.maxAgeMs);
  }

  #missed(cause: unknown): void {
    if (this.#retired) return;
    this.#failedAt = this.clock.now();
    if (!this.#failed) this.events.unavailable(this.settings.source, cause, this.#keys.size);
    this.#failed = true;
    this.#fetchIn(Math.min(RETRY_MS, this.settings.maxAgeMs));
  }

  #fetchIn(delayMs: number): void {
    if (this.#retired) return;
    this.#timer = setTimeout(() => void this.#fetch(), Math.min(delayMs, MAX_TIMER_MS)).unref();
  }
}
