import { Injectable } from '@nestjs/common';

import type { GatewayConfig } from '../config/gateway.config.js';
import type { RouteConfig } from '../config/route.config.js';
import type { Snapshot, SnapshotListener } from '../exchange/snapshot.js';
import type { GuardFactory } from '../exchange/stage.js';
import { LimitCompiler } from './limit-compiler.js';
import { LimitJudge } from './limit-judge.js';
import { limitsBeforeIdentity } from './limit-places.js';
import { RateLimitGuard } from './rate-limit.guard.js';

/** The limits that need no identity: a route's own and the global one, in one guard. */
@Injectable()
export class RateLimitGuardFactory implements GuardFactory, SnapshotListener {
  readonly stage = 'rate_limit';

  constructor(
    private readonly compiler: LimitCompiler,
    private readonly judge: LimitJudge,
  ) {}

  guardFor(route: Readonly<RouteConfig>, document: Readonly<GatewayConfig>): RateLimitGuard | undefined {
    const limits = this.compiler.setOf(route, document, limitsBeforeIdentity(route, document));
    return limits ? new RateLimitGuard(limits, this.judge) : undefined;
  }

  /** For all stages of limits. */
  applied({ config }: Pick<Snapshot, 'config'>): void {
    this.compiler.retain(config);
  }
}
