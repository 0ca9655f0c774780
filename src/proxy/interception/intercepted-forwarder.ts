import type { NestInterceptor } from '@nestjs/common';
import { InterceptorsConsumer } from '@nestjs/core/interceptors/interceptors-consumer.js';

import type { Exchange } from '../../exchange/exchange.js';
import type { ExchangeLog } from '../../exchange/event-log.js';
import type { ResponseSink } from '../../exchange/response.js';
import type { ForwardPlan } from '../forward-plan.js';
import type { Forwarder } from '../proxy.controller.js';
import type { ScannedHead } from '../request-head.js';
import { Interception } from './interception.js';

/** A forwarder with interceptors of the team's own around it. Upgrades pass them by: they have no response. */
export class InterceptedForwarder implements Forwarder {
  readonly consumer = new InterceptorsConsumer();

  constructor(
    readonly interceptors: NestInterceptor[],
    readonly forwarder: Forwarder,
  ) {}

  get log(): ExchangeLog {
    return this.forwarder.log;
  }

  forward(exchange: Exchange, sink: ResponseSink, plan: ForwardPlan): void {
    if ((exchange.head as ScannedHead).upgrade) this.forwarder.forward(exchange, sink, plan);
    else new Interception(exchange, sink, plan, this).begin();
  }
}
