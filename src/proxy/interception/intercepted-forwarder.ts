import type { NestInterceptor } from '@nestjs/common';
import { InterceptorsConsumer } from '@nestjs/core/interceptors/interceptors-consumer.js';

import type { Exchange } from '../../exchange/exchange.js';
import type { ExchangeLog } from '../../exchange/event-log.js';
import type { Forwarder } from '../../exchange/forwarder.js';
import type { ResponseSink } from '../../exchange/response.js';
import { Interception } from './interception.js';

/** A forwarder with interceptors of the team's own around it. Upgrades pass them by: they have no response. */
export class InterceptedForwarder implements Forwarder {
  readonly consumer = new InterceptorsConsumer();

  constructor(
    readonly interceptors: NestInterceptor[],
    readonly forwarder: Forwarder,
    readonly log: ExchangeLog,
  ) {}

  forward(exchange: Exchange, sink: ResponseSink): void {
    if (exchange.head.upgrade) this.forwarder.forward(exchange, sink);
    else new Interception(exchange, sink, this).begin();
  }
}
