import { Inject, Injectable } from '@nestjs/common';

import type { Clock } from '../common/clock.js';
import { EXCHANGE_LOG, type ExchangeLog } from '../exchange/event-log.js';
import type { Exchange } from '../exchange/exchange.js';
import { Refusal } from '../exchange/refusal.js';
import type { ResponseSink } from '../exchange/response.js';
import { RetryCounts } from './attempts/retry-counts.js';
import { Deadlines } from './deadlines.js';
import type { ForwardPlan } from './forward-plan.js';
import { Forwarding, type ForwardingHost } from './forwarding.js';
import type { ScannedHead } from './request-head.js';
import { WebSocketForwarder } from './upgrade/websocket-forwarder.js';

/** Sends exchanges upstream over the backends' connection pools: the end of every chain, but for upgrades. */
@Injectable()
export class HttpForwarder implements ForwardingHost {
  readonly clock: Clock;

  constructor(
    readonly deadlines: Deadlines,
    @Inject(EXCHANGE_LOG) readonly log: ExchangeLog,
    readonly retries: RetryCounts,
    private readonly webSockets: WebSocketForwarder,
  ) {
    this.clock = deadlines.clock;
  }

  forward(exchange: Exchange, sink: ResponseSink, plan: ForwardPlan): void {
    const head = exchange.head as ScannedHead;
    if (head.upgrade) return this.webSockets.forward(exchange, sink, plan);
    if (plan.maxBodySize > 0 && head.contentLength > plan.maxBodySize) throw new Refusal('payload_too_large');
    new Forwarding(exchange, head, sink, plan, this).begin();
  }
}
