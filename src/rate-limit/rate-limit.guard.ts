import type { CanActivate, ExecutionContext } from '@nestjs/common';

import type { Clock } from '../common/clock.js';
import { Refusal } from '../exchange/refusal.js';
import { exchangeOf } from '../exchange/stage.js';
import type { ExceededReports } from './exceeded-reports.js';
import type { LimitSet } from './limit-set.js';

/** The limits of one route that need no identity. Throws the refusal; synchronous, so it costs no promise. */
export class RateLimitGuard implements CanActivate {
  constructor(
    readonly limits: LimitSet,
    private readonly reports: ExceededReports,
    private readonly clock: Clock,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const exchange = exchangeOf(context.switchToHttp().getRequest());
    const now = this.clock.now();
    const exceeded = this.limits.take(exchange, now);
    if (!exceeded) return true;
    const { limit, key, retryAfter } = exceeded;
    limit.counter.count++;
    this.reports.report(exchange, limit.name, `${limit.id} ${key}`, now);
    throw new Refusal('rate_limited', {
      headers: { 'Retry-After': String(retryAfter) },
      members: { retry_after: retryAfter },
    });
  }
}
