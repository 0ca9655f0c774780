import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import type { ExchangeLog } from '../../exchange/event-log.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { AnswerReason } from '../../exchange/reasons.js';
import { Refusal } from '../../exchange/refusal.js';
import type { ResponseSink, ResponseSource } from '../../exchange/response.js';
import type { TriedBackends } from '../../exchange/upstream.js';
import { connectionOf } from '../client-connection.js';
import type { Deadlined, Deadlines } from '../deadlines.js';
import type { ForwardPlan } from '../forward-plan.js';
import type { ScannedHead } from '../request-head.js';
import { framingHeaders, outgoingLines } from '../request-headers.js';
import { isTimeout, reasonOf } from '../upstream-fault.js';
import type { ClientEnd } from './client-end.js';
import { HandshakeAttempt, type HandshakeOwner } from './handshake-attempt.js';
import { type HandshakeRequest, handshakeRequest, switchedHeaders } from './handshake-headers.js';
import { UpstreamAnswer } from './upstream-answer.js';
import type { WebSocketSlot } from './websocket-slots.js';
import { WebSocketTunnel } from './websocket-tunnel.js';

export interface HandshakeHost {
  readonly deadlines: Deadlines;
  readonly log: ExchangeLog;
  /** Sends the request; what comes of it is told to the attempt of the client's end. */
  upgrade(request: HandshakeRequest, client: ClientEnd): void;
}

/** One exchange that asks for a WebSocket, from its last guard to the upstream's answer. */
export class Handshake implements HandshakeOwner, Deadlined, ResponseSource {
  slot = -1;
  deadline = 0;
  #attempt: HandshakeAttempt | null = null;
  #tried: TriedBackends | null = null;
  #lastCause: Error | null = null;
  #dueAt = 0;
  #over = false;
  readonly #path: string;
  readonly #headers: readonly string[];

  constructor(
    readonly exchange: Exchange,
    readonly sink: ResponseSink,
    readonly plan: ForwardPlan,
    readonly place: WebSocketSlot,
    readonly host: HandshakeHost,
  ) {
    const { raw } = exchange.request!;
    this.#path = plan.target(exchange);
    const head = exchange.head as ScannedHead;
    this.#headers = [
      ...framingHeaders(exchange, head, plan.outgoing),
      ...outgoingLines(exchange, head, connectionOf(raw.socket), plan.outgoing),
    ];
  }

  begin(): void {
    this.sink.source = this;
    this.#dueAt = this.#now + this.plan.webSocket.handshakeMs;
    this.host.deadlines.watch(this);
    this.#next();
  }

  // The attempts.

  #next(): void {
    const { exchange, plan, host } = this;
    const backend = plan.upstream.pick(exchange, this.#tried);
    if (backend === null) return this.#refuse(this.#noneLeft());
    this.#attempt = new HandshakeAttempt(this, backend);
    exchange.backend = backend;
    exchange.attempts++;
    exchange.upstreamStartedAt = this.#now;
    this.deadline = Math.min(this.#dueAt, this.#now + plan.webSocket.connectMs);
    const { raw } = exchange.request!;
    host.upgrade(
      handshakeRequest(raw, this.#headers, backend.basePath + this.#path, backend),
      this.#attempt.clientEnd,
    );
  }

  connected(): void {
    this.deadline = this.#dueAt;
  }

  attemptFailed(attempt: HandshakeAttempt, cause: Error): void {
    if (this.#over) return;
    this.#lastCause = cause;
    const reason = reasonOf(cause);
    if (reason !== 'bad_request') this.host.log.upstreamRequestFailed(this.exchange, cause, reason);
    if (attempt.connected || reason === 'bad_request') return this.#refuse(new Refusal(reason, { cause }));
    (this.#tried ??= new Set()).add(attempt.backend);
    this.#next();
  }

  #noneLeft(): Refusal {
    if (this.#tried === null) return new Refusal('no_healthy_backend');
    const reason: AnswerReason = isTimeout(this.#lastCause) ? 'upstream_timeout' : 'upstream_unavailable';
    return new Refusal(reason, { cause: this.#lastCause });
  }

  // What came of it.

  answered(attempt: HandshakeAttempt, response: IncomingMessage): void {
    this.#leave();
    this.exchange.upstreamHeadAt = this.#now;
    const ended = (cause: Error | null): void => {
      attempt.abort();
      this.place.release();
      if (cause !== null && this.exchange.reason === null) this.#logBroken(cause);
    };
    new UpstreamAnswer(response, this.sink, this.host.deadlines, this.plan.idleMs, ended).pass();
  }

  switched(attempt: HandshakeAttempt, response: IncomingMessage, upstream: Socket): void {
    this.#leave();
    const { exchange, sink, place, host } = this;
    exchange.upstreamHeadAt = this.#now;
    response.headers = switchedHeaders(response, exchange);
    const { idleMs } = this.plan.webSocket;
    new WebSocketTunnel({ exchange, sink, attempt, upstream, place, idleMs }, host).open();
  }

  // The client's end.

  resume(): void {}

  cancel(): void {
    this.#stop();
  }

  // Time.

  expired(now: number): void {
    if (this.#over) return;
    const attempt = this.#attempt!;
    if (attempt.connected || now >= this.#dueAt) {
      this.host.log.upstreamRequestFailed(this.exchange, new Error('handshake timeout'), 'upstream_timeout');
      return this.#refuse(new Refusal('upstream_timeout'));
    }
    attempt.abort();
    this.attemptFailed(attempt, Object.assign(new Error('connect timeout'), { code: 'CONNECT_TIMEOUT' }));
  }

  get #now(): number {
    return this.host.deadlines.clock.now();
  }

  #logBroken(cause: Error): void {
    this.host.log.upstreamRequestFailed(this.exchange, cause, 'upstream_aborted');
  }

  #refuse(refusal: Refusal): void {
    this.#stop();
    this.sink.refuse(refusal);
  }

  #stop(): void {
    if (this.#over) return;
    this.#leave();
    this.#attempt?.abort();
    this.place.release();
  }

  #leave(): void {
    this.#over = true;
    this.sink.source = null;
    this.host.deadlines.forget(this);
  }
}
