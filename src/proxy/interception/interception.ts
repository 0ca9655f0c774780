import type { Readable } from 'node:stream';

import type { NestInterceptor } from '@nestjs/common';
import type { InterceptorsConsumer } from '@nestjs/core/interceptors/interceptors-consumer.js';
import { from, Observable, type Subscriber, type Subscription, switchAll } from 'rxjs';

import { checkRawHeaders } from '../../exchange/header-list.js';
import type { ExchangeLog } from '../../exchange/event-log.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { Forwarder } from '../../exchange/forwarder.js';
import type { ResponseSink, ResponseSource } from '../../exchange/response.js';
import { UpstreamResponse } from '../../exchange/upstream-response.js';
import { refusalOf } from '../problem.js';
import { ProxyController } from '../proxy.controller.js';
import { isBodiless } from '../response-headers.js';
import { answerHead } from './answer-head.js';
import { BodyPump, type BodyReceiver } from './body-pump.js';
import { UpstreamAnswer, type UpstreamAnswerOwner } from './upstream-answer.js';

export interface InterceptionHost {
  readonly consumer: InterceptorsConsumer;
  readonly interceptors: NestInterceptor[];
  readonly forwarder: Forwarder;
  readonly log: ExchangeLog;
}

/**
 * One exchange on its way through the team's interceptors: what they subscribe to sends it upstream, and what they
 * emit goes to the writer.
 */
export class Interception implements ResponseSource, UpstreamAnswerOwner, BodyReceiver {
  #subscription: Subscription | null = null;
  readonly #upstream: UpstreamAnswer[] = [];
  /** What the writer asks to go on: a body that is pumped, or the upstream itself. */
  #pump: BodyPump | null = null;
  #direct: UpstreamAnswer | null = null;
  #answered = false;
  #over = false;

  constructor(
    readonly exchange: Exchange,
    readonly sink: ResponseSink,
    readonly host: InterceptionHost,
  ) {}

  begin(): void {
    this.sink.source = this;
    const { request, reply } = this.exchange;
    const { consumer, interceptors } = this.host;
    const { prototype } = ProxyController;
    // Resolved with an observable: that is how Nest takes handlers that answer with one.
    const next = (): Promise<unknown> => Promise.resolve(new Observable(this.#send));
    // oxlint-disable-next-line typescript/unbound-method -- what the context shows as the handler; never called.
    const handler = prototype.handle as never;
    const answers = consumer.intercept(interceptors, [request, reply], prototype, handler, next);
    this.#subscription = from(answers as Promise<Observable<UpstreamResponse>>)
      .pipe(switchAll())
      .subscribe({ next: this.#answer, error: this.#fail, complete: this.#complete });
    if (this.#over) this.#subscription.unsubscribe();
  }

  resume(): void {
    if (this.#direct !== null) this.#direct.source?.resume();
    else this.#pump?.resume();
  }

  /** The exchange is over, whichever way: nothing of it may go on. */
  cancel(): void {
    if (this.#over) return;
    this.#over = true;
    this.#subscription?.unsubscribe();
    this.#pump?.stop();
    for (const answer of this.#upstream) answer.drop();
  }

  /** The upstream's body broke off. Where somebody reads it, the client must not take the rest for the whole. */
  upstreamBroke(answer: UpstreamAnswer, cause: Error): void {
    if (this.#answered && answer.isRead) this.#cut(cause);
  }

  /** The body for the client broke off: of itself, or because the upstream's did. */
  bodyBroke(cause: unknown): void {
    if (this.#over) return;
    const upstreams = this.#upstream.find(({ broken }) => broken !== null)?.broken;
    if (upstreams) this.#cut(upstreams);
    else this.#fault(cause);
  }

  bodyEnded(body: Readable): void {
    const origin = this.#upstream.find((answer) => answer.body === body);
    this.sink.end(origin?.trailers ?? null);
  }

  readonly #send = (subscriber: Subscriber<UpstreamResponse>): (() => void) => {
    const answer = new UpstreamAnswer(subscriber, this);
    try {
      this.#refuseSecondBody();
      this.#upstream.push(answer);
      this.host.forwarder.forward(this.exchange, answer);
    } catch (error) {
      subscriber.error(error);
    }
    return () => answer.unsubscribed();
  };

  /** The body of a request comes from the client once. */
  #refuseSecondBody(): void {
    const again = this.#upstream.length > 0 && this.exchange.head.hasBody;
    if (again) throw new Error('handle() was subscribed to twice, but the request has a body');
  }

  readonly #answer = (response: unknown): void => {
    if (this.#answered || this.#over) return;
    try {
      this.#write(response);
    } catch (error) {
      this.#fault(error);
    }
  };

  #write(response: unknown): void {
    if (!(response instanceof UpstreamResponse))
      throw new TypeError('an interceptor must emit an UpstreamResponse');
    const { exchange, sink } = this;
    const { content } = response;
    const { method } = exchange.head;
    const bytes = Buffer.isBuffer(content) ? content.length : null;
    const origin = this.#upstream.find(({ body }) => body === content) ?? null;
    const head = answerHead(response, { method, bytes, origin });
    checkRawHeaders(exchange.responseHeaders);
    this.#answered = true;
    sink.head(head);
    if (Buffer.isBuffer(content)) return this.#writeWhole(content);
    if (origin?.passTo(sink)) {
      this.#direct = origin;
      return;
    }
    const announced = method === 'HEAD' || isBodiless(head.status) ? -1 : head.contentLength;
    this.#pump = new BodyPump(content, sink, this, announced).begin();
  }

  #writeWhole(content: Buffer): void {
    if (content.length > 0) this.sink.data(content);
    this.sink.end(null);
  }

  readonly #complete = (): void => {
    if (!this.#answered && !this.#over) this.#fault(new Error('the interceptors emitted no response'));
  };

  /** What nobody caught on its way out: a refusal of the gateway's, or a fault of an interceptor. */
  readonly #fail = (error: unknown): void => {
    if (this.#over) return;
    const refusal = refusalOf(error);
    if (this.#answered || refusal.reason === 'internal_error') return this.#fault(error);
    this.sink.refuse(refusal);
  };

  #fault(error: unknown): void {
    const refusal = refusalOf(error);
    this.host.log.internalError(this.exchange, refusal.cause ?? error);
    if (this.#answered) this.exchange.reason = 'internal_error';
    this.cancel();
    this.sink.refuse(refusal);
  }

  #cut(cause: Error): void {
    if (!this.#over) this.sink.abort(cause);
  }
}
