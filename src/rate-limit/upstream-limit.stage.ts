import { Inject, Injectable } from '@nestjs/common';

import type { GatewayConfig } from '../config/gateway.config.js';
import type { RouteConfig } from '../config/route.config.js';
import { EXCHANGE_LOG, type ExchangeLog } from '../exchange/event-log.js';
import type { Exchange } from '../exchange/exchange.js';
import type { Forwarder, ForwarderFactory } from '../exchange/forwarder.js';
import { Refusal } from '../exchange/refusal.js';
import type { ResponseSink } from '../exchange/response.js';
import { LimitCompiler } from './limit-compiler.js';
import { LimitJudge } from './limit-judge.js';
import { limitOfUpstream, upstreamsOf } from './limit-places.js';
import type { LimitSet } from './limit-set.js';

/** `rate_limit_per_upstream`: what an upstream is sent, over all routes. Retries and mirrors are behind it. */
@Injectable()
export class UpstreamLimitStage implements ForwarderFactory {
  readonly stage = 'upstream_rate_limit';

  constructor(
    private readonly compiler: LimitCompiler,
    private readonly judge: LimitJudge,
    @Inject(EXCHANGE_LOG) private readonly log: ExchangeLog,
  ) {}

  wrap(
    route: Readonly<RouteConfig>,
    document: Readonly<GatewayConfig>,
    next: Forwarder,
  ): Forwarder | undefined {
    const sets = new Map<string, LimitSet>();
    for (const name of upstreamsOf(route)) {
      const limit = limitOfUpstream(name, document);
      const set = limit && this.compiler.setOf(route, document, [limit]);
      if (set) sets.set(name, set);
    }
    return sets.size === 0 ? undefined : new LimitedForwarder(sets, next, this.judge, this.log);
  }
}

class LimitedForwarder implements Forwarder {
  constructor(
    /** By the upstream's name. */
    private readonly limits: ReadonlyMap<string, LimitSet>,
    private readonly next: Forwarder,
    private readonly judge: LimitJudge,
    private readonly log: ExchangeLog,
  ) {}

  forward(exchange: Exchange, sink: ResponseSink): void {
    const limits = this.limits.get(exchange.upstream!.name);
    const passed = limits === undefined || this.judge.pass(limits, exchange);
    if (passed === true) return this.next.forward(exchange, sink);
    passed.then(
      () => this.#resume(exchange, sink),
      (error: unknown) => this.#refuse(error, exchange, sink),
    );
  }

  #resume(exchange: Exchange, sink: ResponseSink): void {
    // The client may have left while Redis was asked.
    if (exchange.endedAt > 0) return;
    try {
      this.next.forward(exchange, sink);
    } catch (error) {
      this.#refuse(error, exchange, sink);
    }
  }

  #refuse(error: unknown, exchange: Exchange, sink: ResponseSink): void {
    if (exchange.endedAt > 0) return;
    if (error instanceof Refusal) return sink.refuse(error);
    this.log.internalError(exchange, error);
    sink.refuse(new Refusal('internal_error', { cause: error }));
  }
}
