import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';

import type { Listed } from '../common/live-list.js';
import { tcpSocketOf } from '../common/tcp-socket.js';
import type { Exchange } from '../exchange/exchange.js';
import type { Reason } from '../exchange/reasons.js';
import { Refusal } from '../exchange/refusal.js';
import type { ResponseSink, ResponseSource, Tunnel, UpstreamHead } from '../exchange/response.js';
import type { ClientConnection } from './client-connection.js';
import { writeEarlyHints } from './early-hints.js';
import type { ScannedHead } from './request-head.js';
import { DUMP_LIMIT, dumpRest, lingerBeforeClose } from './unread-body.js';
import { addOwnHeaders } from './own-headers.js';
import { problemDocument } from './problem.js';
import { latin1 } from '../common/latin1.js';
import { clientTrailers, isBodiless } from './response-headers.js';

/** Largest piece of body joined with the head into one write, in bytes. */
const JOIN_LIMIT = 32 * 1024;

/** After these nobody knows whether the body still comes (RFC 9110 §15.5.9, §10.1.1). */
const ENDING: ReadonlySet<Reason | null> = new Set(['request_timeout', 'expectation_failed'] as const);

/** What the writers of one gateway share. */
export interface WriterHost {
  /** The exchange is over: exactly once. */
  ended(writer: ResponseWriter): void;
  /** A head could not be written. */
  faulty(exchange: Exchange, fault: unknown): void;
  /** A head waits for its first bytes of body: `flush` the writer before the event loop sleeps. */
  flushSoon(writer: ResponseWriter): void;
  readonly draining: boolean;
  /** Longest silence of a client in its body, in milliseconds. */
  readonly bodyTimeoutMs: number;
}

/**
 * The one writer to the client. It holds a head back until the first piece of body, so that small answers
 * leave in one write, and tells the host when the exchange ended, whatever happened.
 */
export class ResponseWriter implements ResponseSink, Listed {
  slot = -1;
  source: ResponseSource | null = null;
  /** Begins an exchange that came while others on its connection were under way. */
  waiting: (() => void) | null = null;
  #head: UpstreamHead | null = null;
  #held: Buffer | null = null;
  #tunnel: Tunnel | null = null;
  #answered = false;
  #over = false;
  #drains = false;
  /** The client can tell a whole body from a broken one by length or chunks. */
  #delimited = true;

  constructor(
    readonly exchange: Exchange,
    readonly requestHead: ScannedHead,
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly client: ClientConnection,
    readonly host: WriterHost,
  ) {
    response.on('close', this.#closed);
  }

  /** The pipelined requests in front are through: it is this exchange's turn, unless it was refused meanwhile. */
  begin(): void {
    const begin = this.waiting;
    this.waiting = null;
    if (!this.#answered) begin?.();
  }

  head(head: UpstreamHead): void {
    this.#answered = true;
    this.#head = head;
    this.exchange.status = head.status;
    this.host.flushSoon(this);
  }

  data(chunk: Buffer): boolean {
    if (this.#over || this.#bodiless) return true;
    this.exchange.bytesWritten += chunk.length;
    if (this.#held !== null) this.flush();
    return this.#head === null ? this.#write(chunk) : this.#first(this.#head, chunk);
  }

  end(trailers: readonly string[] | null): void {
    if (this.#over || this.response.writableEnded) return;
    const held = this.#held;
    this.#held = null;
    if (this.#head && !this.#writeHead(this.#head)) return;
    if (trailers !== null && trailers.length > 0) this.#trailers(trailers);
    this.#settleBody();
    if (held === null) this.response.end();
    else this.response.end(latin1(held), 'latin1');
  }

  abort(_cause: Error): void {
    if (this.#over) return;
    // What came is the client's: without a byte of an answer it might take the close for a race, and ask again.
    this.flush();
    // Node keeps what it writes until the end of the tick.
    this.response.uncork();
    this.exchange.reason ??= 'upstream_aborted';
    this.#cut();
  }

  switched(tunnel: Tunnel): void {
    this.#answered = true;
    this.#tunnel = tunnel;
    tunnel.ended = () => this.#finish();
    this.exchange.status = 101;
    this.client.remove(this);
    this.response.off('close', this.#closed);
    this.response.detachSocket(this.client.socket);
    if (this.host.draining) tunnel.goAway();
  }

  refuse(refusal: Refusal): void {
    if (this.#over) return;
    if (this.#answered) return this.abort(refusal);
    this.#answered = true;
    this.exchange.reason = refusal.reason;
    this.exchange.status = refusal.getStatus();
    const body = Buffer.from(problemDocument(refusal, this.exchange.id));
    const headers = ['Content-Type', 'application/problem+json', 'Content-Length', String(body.length)];
    headers.push('Cache-Control', 'no-store');
    for (const name of Object.keys(refusal.headers)) headers.push(name, refusal.headers[name]!);
    const statusText = STATUS_CODES[this.exchange.status] ?? '';
    const head = { status: this.exchange.status, statusText, headers, contentLength: body.length };
    if (!this.#writeHead(head, true)) return;
    if (!this.#bodiless) this.exchange.bytesWritten = body.length;
    this.#settleBody();
    this.response.end(body);
  }

  /** The same, and the connection ends: nobody knows where the client's next message would begin. */
  refuseLast(refusal: Refusal): void {
    this.response.shouldKeepAlive = false;
    this.refuse(refusal);
  }

  /** Passed on where node can, and never part of the final head. */
  interim(status: number, fields: readonly string[]): void {
    const { response } = this;
    if (this.#answered || this.#over || this.request.httpVersionMinor === 0) return;
    if (status === 100) return response.writeContinue();
    // Nobody can hold back a hint: a client that does not read gets none, else they would pile up here.
    if (this.client.socket.writableNeedDrain) return;
    if (status === 102) response.writeProcessing();
    else if (status === 103) writeEarlyHints(response, fields);
  }

  /** Sends what is held back. */
  flush(): void {
    if (this.#over) return;
    const held = this.#held;
    this.#held = null;
    if (this.#head) {
      if (!this.#writeHead(this.#head)) return;
      if (held === null) this.response.flushHeaders();
    }
    if (held !== null) this.#write(held);
  }

  /** The client will send no more; unless its answer is complete already, nobody waits for it. */
  clientHalfClosed(): void {
    if (this.#over || this.response.writableEnded) return;
    this.response.destroy();
    this.#closed();
  }

  /** The socket is gone. A pipelined response that never got it hears of it only here. */
  socketClosed(): void {
    this.#closed();
  }

  /** A stop begins: what would go on for ever is asked to end. */
  goAway(): void {
    this.#tunnel?.goAway();
  }

  /** Ends the exchange at once: the grace period is over. */
  cut(): void {
    if (this.#over) return;
    this.exchange.reason ??= 'gateway_stopped';
    if (this.exchange.status === 0) this.exchange.status = 503;
    this.#cut();
  }

  get #bodiless(): boolean {
    return this.request.method === 'HEAD' || isBodiless(this.exchange.status);
  }

  /** HTTP/1.0 knows no chunks: a body of unknown length ends with the connection. */
  get #endsWithConnection(): boolean {
    return !this.#delimited && this.request.httpVersionMinor === 0;
  }

  /** The first piece of body goes out with the head where the two are small. */
  #first(head: UpstreamHead, chunk: Buffer): boolean {
    if (chunk.length > JOIN_LIMIT) return this.#writeHead(head) && this.#write(chunk);
    if (chunk.length !== head.contentLength) {
      this.#held = chunk;
      return true;
    }
    if (!this.#writeHead(head)) return true;
    this.#settleBody();
    this.response.end(latin1(chunk), 'latin1');
    return true;
  }

  #write(chunk: Buffer): boolean {
    if (this.response.write(chunk)) return true;
    if (!this.#drains) {
      this.#drains = true;
      this.response.on('drain', () => this.source?.resume());
    }
    return false;
  }

  /** False when it could not be written: then another answer has taken its place. */
  #writeHead(head: UpstreamHead, ownPage = false): boolean {
    this.#head = null;
    const { headers } = head;
    const own = this.exchange.responseHeaders;
    for (let at = 0; at < own.length; at++) headers.push(own[at]!);
    this.exchange.defaultHeaders?.complete(headers, this.client.secure, ownPage);
    addOwnHeaders(headers, this.exchange.id);
    if (head.status === 205) headers.push('Content-Length', '0');
    const { response } = this;
    if (this.host.draining || this.#unread > DUMP_LIMIT) response.shouldKeepAlive = false;
    if (ENDING.has(this.exchange.reason)) response.shouldKeepAlive = false;
    this.#delimited = head.contentLength >= 0 || this.#bodiless;
    try {
      response.writeHead(head.status, head.statusText, headers);
      // Node itself decides so for a client that still waits for its 100.
      if (!response.shouldKeepAlive || this.#endsWithConnection) this.client.closing = true;
      return true;
    } catch (fault) {
      this.#replaceBy(fault);
      return false;
    }
  }

  /** Node refuses to write what a guard put into a header: the client gets a plain 500 instead. */
  #replaceBy(fault: unknown): void {
    this.host.faulty(this.exchange, fault);
    this.exchange.responseHeaders.length = 0;
    this.exchange.bytesWritten = 0;
    this.source?.cancel();
    this.#answered = false;
    this.refuse(new Refusal('internal_error'));
  }

  /** Bytes of the request's body that were announced and not read yet; Infinity when nobody knows. */
  get #unread(): number {
    if (!this.requestHead.hasBody || this.request.complete) return 0;
    return this.requestHead.transferEncoding === null ? this.requestHead.contentLength : Infinity;
  }

  /** A body that nobody reads must not be taken for the next request: it is dropped, or the connection ends. */
  #settleBody(): void {
    const unread = this.#unread;
    if (unread === 0) return;
    if (this.response.shouldKeepAlive) dumpRest(this.request, this.client.socket, this.host.bodyTimeoutMs);
    else lingerBeforeClose(this.request, this.client.socket);
  }

  #trailers(trailers: readonly string[]): void {
    if (this.response.chunkedEncoding) this.response.addTrailers(clientTrailers(trailers));
  }

  /** Never a clean end: without a length or chunks the client could only tell by a reset. */
  #cut(): void {
    if (this.#tunnel !== null) return this.#tunnel.cut();
    const { response } = this;
    if (response.headersSent && !this.#delimited && !response.chunkedEncoding)
      tcpSocketOf(this.client.socket).resetAndDestroy();
    else this.client.socket.destroy();
    this.#closed();
  }

  readonly #closed = (): void => {
    if (this.#over) return;
    const { exchange } = this;
    if (!this.response.writableFinished) exchange.reason ??= 'client_closed';
    if (exchange.reason === 'client_closed' && !this.response.headersSent) exchange.status = 499;
    this.#finish();
  };

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.source?.cancel();
    this.host.ended(this);
    // Last: it lets the next pipelined exchange begin.
    this.client.remove(this);
  }
}
