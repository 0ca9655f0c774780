import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import type { Exchange } from '../../exchange/exchange.js';
import { Refusal } from '../../exchange/refusal.js';
import type { ResponseSink, ResponseSource } from '../../exchange/response.js';
import type { Backend, Upstream } from '../../exchange/upstream.js';
import { Attempts, type AttemptsHost, type AttemptsOwner } from '../attempts/attempts.js';
import type { Deadlined, Deadlines } from '../deadlines.js';
import type { ForwardPlan } from '../forward-plan.js';
import { outgoingRequest } from '../outgoing-request.js';
import type { ScannedHead } from '../request-head.js';
import { hostHeader } from '../request-headers.js';
import type { ClientEnd } from './client-end.js';
import { HandshakeAttempt, type HandshakeOwner } from './handshake-attempt.js';
import { type HandshakeRequest, handshakeRequest, switchedHeaders } from './handshake-headers.js';
import { UpstreamAnswer } from './upstream-answer.js';
import type { WebSocketSlot } from './websocket-slots.js';
import { WebSocketTunnel } from './websocket-tunnel.js';

export interface HandshakeHost extends AttemptsHost {
  readonly deadlines: Deadlines;
  /** Sends the request; what comes of it is told to the attempt of the client's end. */
  upgrade(request: HandshakeRequest, client: ClientEnd): void;
}

/** One exchange that asks for a WebSocket, from its last guard to the upstream's answer. */
export class Handshake implements HandshakeOwner, AttemptsOwner, Deadlined, ResponseSource {
  slot = -1;
  deadline = 0;
  headDueAt = 0;
  readonly bodyless = true;
  readonly repeatable = true;
  #attempt: HandshakeAttempt | null = null;
  #over = false;
  readonly #attempts: Attempts;
  readonly #upstream: Upstream;
  readonly #path: string;
  readonly #headers: readonly string[];

  constructor(
    readonly exchange: Exchange,
    readonly sink: ResponseSink,
    readonly plan: ForwardPlan,
    readonly place: WebSocketSlot,
    readonly host: HandshakeHost,
  ) {
    const upstream = (this.#upstream = exchange.upstream!);
    const { target, lines } = exchange.outgoing ?? outgoingRequest(exchange, plan);
    this.#path = target;
    const head = exchange.head as ScannedHead;
    // A handshake is not sent again once an upstream may have seen it.
    this.#attempts = new Attempts(this, upstream, null, host);
    const named = hostHeader(exchange, head, upstream.hostHeader);
    this.#headers = named === null ? lines : ['Host', named, ...lines];
  }

  begin(): void {
    this.sink.source = this;
    this.headDueAt = this.#now + this.plan.webSocket.handshakeMs;
    this.host.deadlines.watch(this);
    this.#attempts.begin();
  }

  // The attempts.

  send(backend: Backend): boolean {
    const attempt = (this.#attempt = new HandshakeAttempt(this, backend));
    this.deadline = this.headDueAt;
    const raw = this.exchange.raw!;
    const request = handshakeRequest(raw, this.#headers, backend.basePath + this.#path, backend);
    this.host.upgrade(request, attempt.clientEnd);
    return true;
  }

  pauseUntil(at: number): void {
    this.#attempt = null;
    this.deadline = Math.min(this.headDueAt, at);
  }

  attemptFailed(attempt: HandshakeAttempt, cause: Error): void {
    if (!this.#over) this.#attempts.failed(attempt, cause);
  }

  // What came of it.

  answered(attempt: HandshakeAttempt, response: IncomingMessage): void {
    this.#leave();
    this.exchange.upstreamHeadAt = this.#now;
    this.#upstream.answering(this.exchange, attempt.backend);
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
    this.#upstream.answering(exchange, attempt.backend);
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
    if (now >= this.headDueAt) this.#headExpired();
    else this.#attempts.resume();
  }

  #headExpired(): void {
    const cause = new Error('handshake timeout');
    if (this.#attempt !== null) this.host.log.upstreamRequestFailed(this.exchange, cause, 'upstream_timeout');
    this.#attempt?.abort('failure');
    this.refuse(new Refusal('upstream_timeout'));
  }

  get #now(): number {
    return this.host.deadlines.clock.now();
  }

  #logBroken(cause: Error): void {
    this.host.log.upstreamRequestFailed(this.exchange, cause, 'upstream_aborted');
  }

  refuse(refusal: Refusal): void {
    this.#stop();
    this.sink.refuse(refusal);
  }

  #stop(): void {
    if (this.#over) return;
    this.#leave();
    this.#attempts.cancel();
    this.#attempt?.abort();
    this.place.release();
  }

  #leave(): void {
    this.#over = true;
    this.sink.source = null;
    this.host.deadlines.forget(this);
  }
}
