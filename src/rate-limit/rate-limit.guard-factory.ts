import { Inject, Injectable, Optional } from '@nestjs/common';

import { CLOCK, type Clock, systemClock } from '../common/clock.js';
import type { GatewayConfig } from '../config/gateway.config.js';
import type { RateLimitConfig } from '../config/rate-limit.config.js';
import type { RouteConfig } from '../config/route.config.js';
import type { Snapshot, SnapshotListener } from '../exchange/snapshot.js';
import type { GuardFactory } from '../exchange/stage.js';
import { ExceededReports } from './exceeded-reports.js';
import { limitNumbers } from './limit.js';
import { limitKey } from './limit-key.js';
import { LimitedCounters } from './limited-counts.js';
import { LimiterRegistry } from './limiter.registry.js';
import { LimitSet, type RouteLimit } from './limit-set.js';
import { RateLimitGuard } from './rate-limit.guard.js';

type CompiledLimit = Omit<RouteLimit, 'counter'>;

/** Compiles a route's own limits and the global one into one guard, and keeps their buckets over reloads. */
@Injectable()
export class RateLimitGuardFactory implements GuardFactory, SnapshotListener {
  readonly stage = 'rate_limit';

  constructor(
    private readonly registry: LimiterRegistry,
    private readonly counters: LimitedCounters,
    private readonly reports: ExceededReports,
    @Optional() @Inject(CLOCK) private readonly clock: Clock = systemClock,
  ) {}

  /** Throws a RangeError for a key, algorithm or store that is not built. */
  guardFor(route: Readonly<RouteConfig>, document: Readonly<GatewayConfig>): RateLimitGuard | undefined {
    const limits = this.#limitsOf(route, this.#globalOf(document));
    return limits.length === 0
      ? undefined
      : new RateLimitGuard(new LimitSet(limits), this.reports, this.clock);
  }

  /** The snapshot is in force: forgets buckets and counters that none of its routes uses. */
  applied({ config }: Snapshot): void {
    const global = this.#globalOf(config);
    const limits = config.routes.flatMap((route) => this.#limitsOf(route, global));
    this.registry.retain(new Set(limits.map(({ limiter }) => limiter)));
    this.counters.retain(new Set(limits.map(({ counter }) => counter)));
  }

  #limitsOf(route: Readonly<RouteConfig>, global: CompiledLimit | null): RouteLimit[] {
    const own = route.rate_limit.map((config, at) =>
      this.#compile(config, at === 0 ? 'default' : `default-${at + 1}`, `${route.id}#${at}`),
    );
    const all = global ? [...own, global] : own;
    return all.map((limit) => ({ ...limit, counter: this.counters.counter(route.path, limit.name) }));
  }

  #globalOf({ rate_limit_global: config }: Readonly<GatewayConfig>): CompiledLimit | null {
    return config && this.#compile(config, 'global', '#global');
  }

  #compile(config: Readonly<RateLimitConfig>, name: string, id: string): CompiledLimit {
    if (config.store !== 'memory') throw new RangeError(`no such limit store: ${config.store}`);
    const limiter = this.registry.limiter(id, config.by, limitNumbers(config));
    return { name, id, limiter, keyOf: limitKey(config.by) };
  }
}
