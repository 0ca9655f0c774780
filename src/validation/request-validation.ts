import type { ExchangeLog } from '../exchange/event-log.js';
import type { Exchange, RequestHead } from '../exchange/exchange.js';
import type { Forwarder, RouteTools } from '../exchange/forwarder.js';
import { Refusal } from '../exchange/refusal.js';
import type { ResponseSink } from '../exchange/response.js';
import type { BodyCheck } from './body-check.js';
import { validationFailed } from './problems.js';
import type { ValuesCheck } from './values-check.js';

export interface ValidationPlan {
  /** Of path, query and headers. */
  readonly checks: readonly ValuesCheck[];
  readonly body: BodyCheck | null;
  readonly next: Forwarder;
  readonly tools: RouteTools;
  readonly log: ExchangeLog;
}

/** Lets requests through that fit the schemas of a route. What was checked is what is sent: the same bytes. */
export class RequestValidation implements Forwarder {
  constructor(readonly plan: ValidationPlan) {}

  forward(exchange: Exchange, sink: ResponseSink): void {
    const { checks, body, next, tools } = this.plan;
    const problems = checks.flatMap((check) => check(exchange));
    if (problems.length > 0) throw validationFailed(problems);
    const head = exchange.head as RequestHead & { hasBody: boolean; upgrade: boolean };
    // A handshake has no body.
    if (body === null || head.upgrade) return next.forward(exchange, sink);
    if (head.hasBody) body.demandJson(head);
    tools.collect(exchange, sink, () => this.#collected(exchange, sink, body));
  }

  /** The caller of `forward` may be gone. */
  #collected(exchange: Exchange, sink: ResponseSink, body: BodyCheck): void {
    try {
      const problems = body.problems(exchange.body, exchange.head.method);
      if (problems.length > 0) throw validationFailed(problems);
      this.plan.next.forward(exchange, sink);
    } catch (error) {
      this.#refuse(error, exchange, sink);
    }
  }

  #refuse(error: unknown, exchange: Exchange, sink: ResponseSink): void {
    if (error instanceof Refusal) return sink.refuse(error);
    this.plan.log.internalError(exchange, error);
    sink.refuse(new Refusal('internal_error', { cause: error }));
  }
}
