import type { IncomingMessage, ServerResponse } from 'node:http';

import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

import { CLOCK, type Clock } from '../common/clock.js';
import { DEFAULT_HEADERS, type DefaultHeadersCompiler } from '../exchange/default-headers.js';
import { EXCHANGE_LOG, type ExchangeLog } from '../exchange/event-log.js';
import { Exchange, type Framework } from '../exchange/exchange.js';
import { EXCHANGE_OBSERVERS, type ExchangeObserver } from '../exchange/observer.js';
import type { Refusal } from '../exchange/refusal.js';
import { ROUTER, type Router } from '../exchange/router.js';
import { type Snapshot, SNAPSHOTS, type Snapshots } from '../exchange/snapshot.js';
import { ActiveExchanges } from './active-exchanges.js';
import { type ClientConnection, connectionOf } from './client-connection.js';
import { compileEdge, type EdgeSettings } from './edge-settings.js';
import { checkReceived } from './head-checks.js';
import { problemDocument, refusalOf } from './problem.js';
import { ScannedHead } from './request-head.js';
import { ResponseWriter, type WriterHost } from './response-writer.js';

/**
 * Where every request of the data port comes in and every exchange ends. `enter` is called before a body is read;
 * what is for a route never reaches Fastify's own handlers.
 */
@Injectable()
export class GatewayEntry implements WriterHost {
  #snapshot: Snapshot | null = null;
  #edge!: EdgeSettings;
  #heads: ResponseWriter[] = [];

  // oxlint-disable-next-line max-params -- the entry is where the rooms of the path meet.
  constructor(
    @Inject(SNAPSHOTS) private readonly snapshots: Snapshots,
    @Inject(ROUTER) private readonly router: Router,
    @Inject(EXCHANGE_OBSERVERS) private readonly observers: readonly ExchangeObserver[],
    @Inject(EXCHANGE_LOG) private readonly log: ExchangeLog,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(DEFAULT_HEADERS) private readonly defaults: DefaultHeadersCompiler,
    private readonly active: ActiveExchanges,
  ) {}

  /** Null when the request was taken: nobody must do more for it. Else the exchange of one of the gateway's own endpoints. */
  enter(raw: IncomingMessage, response: ServerResponse, framework: Framework): Exchange | null {
    const edge = this.#settings();
    const client = connectionOf(raw.socket);
    if (!client.admit(response)) return null;
    const head = new ScannedHead(raw, client).scan(edge.requestIdHeader);
    const exchange = this.#open(head, client, edge);
    exchange.raw = raw;
    exchange.response = response;
    exchange.framework = framework;
    return this.#start(exchange, head, client, edge) ? null : exchange;
  }

  /** One of the gateway's own endpoints answers. */
  leave({ raw, response }: Exchange, reply: FastifyReply): void {
    const edge = this.#settings();
    const client = connectionOf(raw!.socket);
    client.addOwn(raw!, response!, edge.bodyTimeoutMs);
    addDefaults(edge, client, reply);
  }

  /** An exchange that the parser refused: seen by the observers, answered by the caller. */
  refusedByParser(client: ClientConnection, refusal: Refusal): Exchange {
    const exchange = this.#open(ScannedHead.unread(client), client, this.#settings());
    exchange.reason = refusal.reason;
    exchange.status = refusal.getStatus();
    exchange.bytesWritten = Buffer.byteLength(problemDocument(refusal, exchange.id));
    for (const observer of this.observers) observer.started?.(exchange);
    this.#close(exchange);
    return exchange;
  }

  ended(writer: ResponseWriter): void {
    this.active.remove(writer);
    this.#close(writer.exchange);
  }

  faulty(exchange: Exchange, fault: unknown): void {
    this.log.internalError(exchange, fault);
  }

  /** One immediate for all heads of this turn of the event loop that wait for their body. */
  flushSoon(writer: ResponseWriter): void {
    if (this.#heads.push(writer) === 1) setImmediate(this.#flushHeads);
  }

  get draining(): boolean {
    return this.active.draining;
  }

  get bodyTimeoutMs(): number {
    return this.#edge.bodyTimeoutMs;
  }

  readonly #flushHeads = (): void => {
    const heads = this.#heads;
    this.#heads = [];
    for (const writer of heads) writer.flush();
  };

  #settings(): EdgeSettings {
    const { current } = this.snapshots;
    if (current !== this.#snapshot) {
      this.#edge = compileEdge(current.config, this.clock, this.defaults.forDocument(current.config));
      this.#snapshot = current;
    }
    return this.#edge;
  }

  #open(head: ScannedHead, client: ClientConnection, edge: EdgeSettings): Exchange {
    const exchange = new Exchange(edge.requestIds.idFor(head.requestId ?? undefined), this.clock.now(), head);
    exchange.clientIp = client.address;
    exchange.defaultHeaders = edge.defaultHeaders;
    return exchange;
  }

  #start(exchange: Exchange, head: ScannedHead, client: ClientConnection, edge: EdgeSettings): boolean {
    let fault: unknown = null;
    try {
      const { raw, response } = exchange;
      checkReceived({ head, request: raw!, response: response!, client }, edge.maxUriLength);
      if (!this.router.route(exchange)) return false;
      this.#identifyClient(exchange, edge);
    } catch (error) {
      fault = error;
    }
    this.#take(exchange, head, client, fault);
    return true;
  }

  #take(exchange: Exchange, head: ScannedHead, client: ClientConnection, fault: unknown): void {
    const writer = new ResponseWriter(exchange, head, exchange.raw!, exchange.response!, client, this);
    this.active.add(writer);
    for (const observer of this.observers) observer.started?.(exchange);
    if (client.add(writer)) this.#begin(exchange, writer, fault);
    else writer.waiting = () => this.#begin(exchange, writer, fault);
  }

  #begin(exchange: Exchange, writer: ResponseWriter, fault: unknown): void {
    if (fault === null) exchange.route!.handler.handle(exchange, writer);
    else this.#refuse(fault, exchange, writer);
  }

  #identifyClient(exchange: Exchange, { clientAddress }: EdgeSettings): void {
    if (!clientAddress.trusts(exchange.head.remoteAddress)) return;
    exchange.peerTrusted = true;
    exchange.clientIp = clientAddress.resolve(exchange.head.remoteAddress, exchange.raw!.headers);
  }

  #refuse(error: unknown, exchange: Exchange, writer: ResponseWriter): void {
    const refusal = refusalOf(error);
    if (refusal.reason === 'internal_error') this.log.internalError(exchange, refusal.cause);
    writer.refuse(refusal);
  }

  #close(exchange: Exchange): void {
    exchange.endedAt = this.clock.now();
    for (const observer of this.observers) observer.ended(exchange);
  }
}

/** What an endpoint of the gateway sets itself wins. */
function addDefaults({ defaultHeaders }: EdgeSettings, client: ClientConnection, reply: FastifyReply): void {
  const lines: string[] = [];
  defaultHeaders?.complete(lines, client.secure, true);
  for (let at = 0; at < lines.length; at += 2) void reply.header(lines[at]!, lines[at + 1]!);
}
