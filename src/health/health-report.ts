import { Inject, Injectable } from '@nestjs/common';
import { type HealthCheckResult, HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';

import { READINESS, type Readiness } from '../exchange/readiness.js';
import { CURRENT_UPSTREAMS, type CurrentUpstreams, type Upstream } from '../exchange/upstream.js';

/**
 * The gateway's health in Terminus' shape. A result that is an error is thrown, as Terminus does: a
 * ServiceUnavailableException whose response is the document.
 */
@Injectable()
export class HealthReport {
  constructor(
    private readonly terminus: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    @Inject(CURRENT_UPSTREAMS) private readonly current: CurrentUpstreams,
    @Inject(READINESS) private readonly readiness: Readiness,
  ) {}

  /** Each upstream with its healthy and total backends. */
  upstreams(): Promise<HealthCheckResult> {
    return this.terminus.check(
      Array.from(this.current.upstreams(), (upstream) => () => this.#judge(upstream)),
    );
  }

  /** Whether the gateway takes traffic. */
  ready(): Promise<HealthCheckResult> {
    return this.terminus.check([() => this.#ready()]);
  }

  /** Always well. Not asked of Terminus, which calls a process dead that is only stopping. */
  live(): HealthCheckResult {
    return { status: 'ok', info: {}, error: {}, details: {} };
  }

  #judge(upstream: Upstream) {
    const indicator = this.indicators.check(upstream.name);
    const healthy = upstream.backends.filter((backend) => backend.state.healthy);
    const counts = { healthy: healthy.length, total: upstream.backends.length };
    // A backend of weight 0 gets no traffic, so it alone cannot serve.
    if (healthy.some((backend) => backend.weight > 0)) return indicator.up(counts);
    return upstream.critical ? indicator.down(counts) : indicator.degraded(counts);
  }

  #ready() {
    const indicator = this.indicators.check('gateway');
    return this.readiness.ready() ? indicator.up() : indicator.down();
  }
}
