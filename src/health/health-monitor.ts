import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';

import { CLOCK, type Clock } from '../common/clock.js';
import type { GatewayConfig } from '../config/gateway.config.js';
import type { Snapshot, SnapshotListener } from '../exchange/snapshot.js';
import type { Backend, BackendState, Upstream } from '../exchange/upstream.js';
import { compileHealthCheck, type HealthCheck } from './health-check.js';
import { HEALTH_EVENTS, type HealthEvents } from './health-events.js';
import { ProbeGate } from './probe-gate.js';
import { type ProbeStreak, recover } from './threshold.js';
import { UpstreamChecker } from './upstream-checker.js';
import { Watch, type WatchTools } from './watch.js';

/**
 * Active health checks of the upstreams in force. The only writer of a backend's `healthy`. One interval of
 * @nestjs/schedule for each upstream that has a check.
 */
@Injectable()
export class HealthMonitor implements SnapshotListener, OnApplicationShutdown {
  readonly #checkers = new Map<string, UpstreamChecker>();
  /** Counts live as long as the state that they count for, across reloads. */
  readonly #streaks = new WeakMap<BackendState, ProbeStreak>();
  readonly #gate = new ProbeGate();
  readonly #tools: WatchTools;
  #stopped = false;

  constructor(
    private readonly scheduler: SchedulerRegistry,
    @Inject(HEALTH_EVENTS) private readonly events: HealthEvents,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.#tools = { events, clock, gate: this.#gate };
  }

  applied({ upstreams, config }: Pick<Snapshot, 'upstreams' | 'config'>): void {
    this.apply(upstreams, config);
  }

  /**
   * Takes over a snapshot that has just come into force: what did not change goes on undisturbed, what is new
   * is probed at once. Does nothing after `stop`.
   */
  apply(upstreams: ReadonlyMap<string, Upstream>, config: Readonly<GatewayConfig>): void {
    if (this.#stopped) return;
    const known = new Set(Array.from(this.#checkers.values(), ({ check }) => check.key));
    for (const name of this.#checkers.keys()) if (!upstreams.has(name)) this.#end(name);
    const started: [HealthCheck, Upstream][] = [];
    for (const upstream of upstreams.values()) {
      const checkConfig = config.upstreams[upstream.name]?.health_check;
      if (!checkConfig) {
        this.#unwatch(upstream);
        continue;
      }
      const check = compileHealthCheck(checkConfig);
      this.#follow(upstream, check);
      if (!known.has(check.key)) started.push([check, upstream]);
    }
    this.#announce(started);
  }

  /** Probes every backend now; resolves when the last one is judged. */
  async probeRound(): Promise<void> {
    await Promise.all(Array.from(this.#checkers.values(), (checker) => checker.probeRound()));
  }

  /** Ends all timers and running probes; for good. */
  stop(): void {
    this.#stopped = true;
    for (const name of this.#checkers.keys()) this.#end(name);
    this.#gate.close();
  }

  onApplicationShutdown(): void {
    this.stop();
  }

  #follow(upstream: Upstream, check: HealthCheck): void {
    if (this.#checkers.get(upstream.name)?.check.key !== check.key) {
      this.#end(upstream.name);
      this.#begin(upstream.name, check);
    }
    this.#checkers.get(upstream.name)!.follow(upstream);
  }

  #begin(name: string, check: HealthCheck): void {
    const checker = new UpstreamChecker(check, this.#watch);
    const interval = setInterval(() => void checker.probeRound(), check.intervalMs);
    this.scheduler.addInterval(intervalName(name), interval);
    this.#checkers.set(name, checker);
  }

  #end(name: string): void {
    const checker = this.#checkers.get(name);
    if (!checker) return;
    // At the end of the application @nestjs/schedule may have cleared its intervals before we are asked to.
    if (this.scheduler.doesExist('interval', intervalName(name))) {
      this.scheduler.deleteInterval(intervalName(name));
    }
    this.#checkers.delete(name);
    checker.stop();
  }

  /** Nobody would ever find an unwatched backend well again, so it counts as healthy, like a new one. */
  #unwatch(upstream: Upstream): void {
    this.#end(upstream.name);
    for (const { state, url } of upstream.backends) {
      this.#streaks.delete(state);
      if (state.healthy) continue;
      recover(state, this.clock);
      this.events.recovered(upstream.name, url);
    }
  }

  readonly #watch = (backend: Backend, check: HealthCheck): Watch => {
    let streak = this.#streaks.get(backend.state);
    if (!streak) this.#streaks.set(backend.state, (streak = { length: 0 }));
    return new Watch(backend, check, streak, this.#tools);
  };

  /** One line for all upstreams that are probed in the same way. */
  #announce(started: readonly [HealthCheck, Upstream][]): void {
    const kinds = Map.groupBy(started, ([check]) => check.key);
    for (const kind of kinds.values()) {
      const { type, path, interval, timeout } = kind[0]![0].config;
      const backends = kind.reduce((sum, [, upstream]) => sum + upstream.backends.length, 0);
      this.events.started({ backends, path: type === 'http' ? path : null, interval, timeout });
    }
  }
}

function intervalName(upstream: string): string {
  return `health check of ${upstream}`;
}
