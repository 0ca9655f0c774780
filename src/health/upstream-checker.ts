import type { Backend, Upstream } from '../exchange/upstream.js';
import type { HealthCheck } from './health-check.js';
import type { Watch } from './watch.js';

export type StartWatch = (backend: Backend, check: HealthCheck) => Watch;

/** Probes all backends of one upstream, in parallel. */
export class UpstreamChecker {
  #watches: readonly Watch[] = [];

  constructor(
    readonly check: HealthCheck,
    private readonly watch: StartWatch,
  ) {}

  /** Watches these backends: known ones go on as they are, new ones are probed at once, others are let go. */
  follow({ backends }: Upstream): void {
    const before = new Map(this.#watches.map((watch) => [watch.backend.state, watch]));
    const added: Watch[] = [];
    this.#watches = backends.map((backend) => {
      const known = before.get(backend.state);
      if (known && known.backend.url === backend.url) {
        before.delete(backend.state);
        known.backend = backend;
        return known;
      }
      const watch = this.watch(backend, this.check);
      added.push(watch);
      return watch;
    });
    for (const watch of before.values()) watch.stop();
    for (const watch of added) void watch.probe();
  }

  /** Probes every backend; resolves when the last one is judged. */
  async probeRound(): Promise<void> {
    await Promise.all(this.#watches.map((watch) => watch.probe()));
  }

  stop(): void {
    for (const watch of this.#watches) watch.stop();
    this.#watches = [];
  }
}
