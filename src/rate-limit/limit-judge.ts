import { Inject, Injectable, Optional } from '@nestjs/common';

import { CLOCK, type Clock, systemClock } from '../common/clock.js';
import type { Exchange } from '../exchange/exchange.js';
import { Refusal } from '../exchange/refusal.js';
import { ExceededReports } from './exceeded-reports.js';
import type { Exceeded, LimitSet, Verdict } from './limit-set.js';

/** Lets exchanges pass a set of limits, or throws the refusal and sees to it that it is told and counted. */
@Injectable()
export class LimitJudge {
  constructor(
    private readonly reports: ExceededReports,
    @Optional() @Inject(CLOCK) private readonly clock: Clock = systemClock,
  ) {}

  /** Synchronous, so that it costs no promise, but where limits in Redis are asked. Throws or rejects with a Refusal. */
  pass(limits: LimitSet, exchange: Exchange): true | Promise<true> {
    const verdict = limits.judge(exchange);
    if (verdict === null) return true;
    if (verdict instanceof Promise) return verdict.then((late) => this.#enforce(late, exchange));
    return this.#enforce(verdict, exchange);
  }

  #enforce(verdict: Verdict, exchange: Exchange): true {
    if (verdict === null) return true;
    if (verdict === 'unavailable') throw new Refusal('rate_limit_store_unavailable');
    throw this.#refusal(verdict, exchange);
  }

  #refusal({ limit, key, retryAfter }: Exceeded, exchange: Exchange): Refusal {
    limit.counter.count++;
    this.reports.report(exchange, limit.name, `${limit.id} ${key}`, this.clock.now());
    return new Refusal('rate_limited', {
      headers: { 'Retry-After': String(retryAfter) },
      members: { retry_after: retryAfter },
    });
  }
}
