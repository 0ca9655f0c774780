import type { CanActivate, ExecutionContext } from '@nestjs/common';

import { exchangeIn } from '../exchange/stage.js';
import type { LimitJudge } from './limit-judge.js';
import type { LimitSet } from './limit-set.js';

/** The limits of one route that need no identity. */
export class RateLimitGuard implements CanActivate {
  constructor(
    readonly limits: LimitSet,
    private readonly judge: LimitJudge,
  ) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    return this.judge.pass(this.limits, exchangeIn(context));
  }
}
