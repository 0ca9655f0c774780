import { STATUS_CODES } from 'node:http';

import type { CanActivate } from '@nestjs/common';
import { firstValueFrom, isObservable } from 'rxjs';

import { EarlyAnswer } from '../exchange/early-answer.js';
import type { DefaultHeaders } from '../exchange/default-headers.js';
import type { ExchangeLog } from '../exchange/event-log.js';
import type { Exchange } from '../exchange/exchange.js';
import { Refusal } from '../exchange/refusal.js';
import type { Forwarder } from '../exchange/forwarder.js';
import type { ResponseSink } from '../exchange/response.js';
import type { RouteHandler } from '../exchange/route.js';
import type { UpstreamChoice } from '../exchange/upstream.js';
import { refusalOf } from './problem.js';
import { RouteContext } from './route-context.js';

/**
 * What is mounted for one configured route: its guards in the order of the path, then the forwarder. The chain runs
 * synchronously; only a guard that answers with a promise makes it wait.
 */
export class ProxyController implements RouteHandler {
  // oxlint-disable-next-line max-params -- what makes up a route.
  constructor(
    readonly guards: readonly CanActivate[],
    readonly choice: UpstreamChoice,
    readonly forwarder: Forwarder,
    readonly log: ExchangeLog,
    readonly defaultHeaders: DefaultHeaders | null = null,
  ) {}

  handle(exchange: Exchange, sink: ResponseSink): void {
    exchange.defaultHeaders = this.defaultHeaders;
    const context =
      this.guards.length === 0
        ? null
        : // oxlint-disable-next-line typescript/unbound-method -- what the context shows as the handler; never called.
          new RouteContext(exchange, ProxyController, this.handle);
    this.#from(0, context, exchange, sink);
  }

  #from(first: number, context: RouteContext | null, exchange: Exchange, sink: ResponseSink): void {
    try {
      for (let at = first; at < this.guards.length; at++) {
        const verdict = this.guards[at]!.canActivate(context!);
        if (verdict === true) continue;
        if (verdict === false) throw new Refusal('forbidden');
        const later = isObservable(verdict) ? firstValueFrom(verdict) : verdict;
        later.then(
          (passed) => this.#resume(passed, at + 1, context, exchange, sink),
          (error: unknown) => this.#refuse(error, exchange, sink),
        );
        return;
      }
      exchange.upstream = this.choice.choose(exchange);
      this.forwarder.forward(exchange, sink);
    } catch (error) {
      this.#refuse(error, exchange, sink);
    }
  }

  #resume(
    passed: boolean,
    next: number,
    context: RouteContext | null,
    exchange: Exchange,
    sink: ResponseSink,
  ): void {
    // The client may have left while the guard was thinking.
    if (exchange.endedAt > 0) return;
    if (passed) this.#from(next, context, exchange, sink);
    else this.#refuse(new Refusal('forbidden'), exchange, sink);
  }

  #refuse(error: unknown, exchange: Exchange, sink: ResponseSink): void {
    if (error instanceof EarlyAnswer) return answerEarly(error, sink);
    const refusal = refusalOf(error);
    if (refusal.reason === 'internal_error') this.log.internalError(exchange, refusal.cause);
    sink.refuse(refusal);
  }
}

function answerEarly({ status }: EarlyAnswer, sink: ResponseSink): void {
  sink.head({ status, statusText: STATUS_CODES[status] ?? '', headers: [], contentLength: 0 });
  sink.end(null);
}
