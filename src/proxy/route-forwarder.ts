import type { Exchange } from '../exchange/exchange.js';
import type { Forwarder, OutgoingRequest, RouteTools } from '../exchange/forwarder.js';
import type { ResponseSink } from '../exchange/response.js';
import { BodyCollector } from './body-collector.js';
import type { ForwardPlan } from './forward-plan.js';
import type { HttpForwarder } from './http-forwarder.js';
import { outgoingRequest } from './outgoing-request.js';

/** The end of one route's path, and what the stages in front of it may ask for. */
export class RouteForwarder implements Forwarder, RouteTools {
  constructor(
    readonly plan: ForwardPlan,
    readonly forwarder: HttpForwarder,
  ) {}

  forward(exchange: Exchange, sink: ResponseSink): void {
    // Forwarding looks at it when the answer may be out already.
    void exchange.request;
    this.forwarder.forward(exchange, sink, this.plan);
  }

  outgoing(exchange: Exchange): OutgoingRequest {
    return (exchange.outgoing ??= outgoingRequest(exchange, this.plan));
  }

  collect(exchange: Exchange, sink: ResponseSink, done: () => void): void {
    if (!exchange.head.hasBody || exchange.body !== null) return done();
    new BodyCollector(exchange, sink, this.plan, this.forwarder.deadlines, done).begin();
  }
}
