import { Injectable } from '@nestjs/common';

import type { GatewayConfig } from '../config/gateway.config.js';
import type { RouteConfig } from '../config/route.config.js';
import type { Exchange } from '../exchange/exchange.js';
import type { Forwarder, ForwarderFactory, OutgoingRequest, RouteTools } from '../exchange/forwarder.js';
import type { ResponseSink } from '../exchange/response.js';
import { compileHeaderEdits, type HeaderEdits } from './header-edits.js';
import { compileQueryEdits, type QueryEdits } from './query-edits.js';

/** Changes what the upstream gets: `transform.request`. WebSocket handshakes too. */
@Injectable()
export class RequestTransformStage implements ForwarderFactory {
  readonly stage = 'transform.request';

  wrap(
    route: Readonly<RouteConfig>,
    _document: Readonly<GatewayConfig>,
    next: Forwarder,
    tools: RouteTools,
  ): Forwarder | undefined {
    const { request } = route.transform;
    const headers = compileHeaderEdits(request.headers, route.path);
    const query = compileQueryEdits(request.query, route.path);
    if (headers === null && query === null) return undefined;
    return new RequestTransform(headers, query, next, tools);
  }
}

class RequestTransform implements Forwarder {
  constructor(
    readonly headers: HeaderEdits | null,
    readonly query: QueryEdits | null,
    readonly next: Forwarder,
    readonly tools: RouteTools,
  ) {}

  forward(exchange: Exchange, sink: ResponseSink): void {
    const outgoing = this.tools.outgoing(exchange);
    if (!outgoing.edited) this.#edit(exchange, outgoing);
    this.next.forward(exchange, sink);
  }

  #edit(exchange: Exchange, outgoing: OutgoingRequest): void {
    outgoing.edited = true;
    if (this.query !== null) outgoing.target = this.query(outgoing.target, exchange);
    if (this.headers !== null) outgoing.lines = this.headers(outgoing.lines, exchange);
  }
}
