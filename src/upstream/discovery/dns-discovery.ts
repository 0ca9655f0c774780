import type { After, Discovery, DiscoveryListener, Following, Sought } from './discovery.js';
import { type DnsMemory, type LookedUp, lookUp } from './dns-lookup.js';
import type { DnsRecords, OpenDns } from './dns-records.js';

const SECOND = 1_000;

export interface DnsDiscoveryTools {
  readonly dns: OpenDns;
  readonly after: After;
}

/** Looks names up again when their answer has grown old. */
export class DnsDiscovery implements Discovery {
  constructor(
    /** Longest time between two look-ups, in milliseconds. */
    private readonly intervalMs: number,
    private readonly tools: DnsDiscoveryTools,
  ) {}

  follow(sought: Sought, listener: DiscoveryListener): Following {
    return new RepeatedLookup(sought, listener, this.intervalMs, this.tools);
  }
}

/** The look-ups of one name, one at a time. */
class RepeatedLookup implements Following {
  readonly #memory: DnsMemory = new Map();
  #failures = 0;
  #stopped = false;
  #takeBack: () => void = () => {};
  #running: DnsRecords | null = null;

  constructor(
    private readonly sought: Sought,
    private readonly listener: DiscoveryListener,
    private readonly intervalMs: number,
    private readonly tools: DnsDiscoveryTools,
  ) {
    void this.#run();
  }

  stop(): void {
    this.#stopped = true;
    this.#takeBack();
    this.#running?.cancel();
  }

  async #run(): Promise<void> {
    const answer = await this.#ask();
    if (this.#stopped) return;
    this.#next(answer instanceof Error ? this.#failed(answer) : this.#found(answer));
  }

  async #ask(): Promise<LookedUp | Error> {
    try {
      this.#running = this.tools.dns();
      return await lookUp(this.sought, this.#running, this.#memory);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    } finally {
      this.#running = null;
    }
  }

  /** Milliseconds until it is asked again. */
  #found({ servers, ttlMs, fault }: LookedUp): number {
    this.listener.found(servers, fault);
    if (fault !== null) return this.#backoff();
    this.#failures = 0;
    return ttlMs;
  }

  #failed(cause: Error): number {
    this.listener.failed(cause);
    return this.#backoff();
  }

  /** Soon at first, then ever later. */
  #backoff(): number {
    return SECOND * 2 ** this.#failures++;
  }

  #next(ms: number): void {
    const wait = Math.max(SECOND, Math.min(ms, this.intervalMs));
    this.#takeBack = this.tools.after(wait, () => void this.#run());
  }
}
