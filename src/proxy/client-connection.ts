import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { normaliseIp } from '../common/cidr.js';
import { isVerified } from '../exchange/client-certificate.js';
import type { Refusal } from '../exchange/refusal.js';
import type { ResponseWriter } from './response-writer.js';
import { dumpRest } from './unread-body.js';
import type { UpgradingClient } from './upgrade/upgrading-client.js';

/** Requests that may wait for those in front of them; a client that pipelines more is cut off. */
const MAX_WAITING = 256;

/**
 * A client's socket as the path sees it. What is known once for the whole connection is kept here and not worked
 * out anew for each request.
 */
export class ClientConnection {
  /** The peer's address, IPv4 unmapped. */
  readonly address: string;
  readonly port: number;
  /** In decimal, as headers say it. */
  readonly localPort: string;
  readonly secure: boolean;
  /** The client has a certificate that was verified. */
  readonly certified: boolean;
  /** Set once the client asked for an upgrade: nothing else comes on this socket. */
  upgrading: UpgradingClient | null = null;
  /** An answer said `Connection: close`: nothing that follows is processed (RFC 9112 §9.6). */
  closing = false;
  /** The next request is the last one that can be told from others. */
  endsWithNext = false;
  #lastSeen = false;
  /** The responses that this socket still owes; more than one only when the client pipelines. */
  readonly #writers: ResponseWriter[] = [];
  /** A request that was answered before its body had come. */
  #unfinished: IncomingMessage | null = null;
  /** Answers of the gateway's own endpoints that are not out yet. */
  readonly #ownAnswers: ServerResponse[] = [];
  #afterLast: (() => void) | null = null;

  constructor(readonly socket: Socket) {
    this.address = normaliseIp(socket.remoteAddress ?? '') ?? '';
    this.port = socket.remotePort ?? 0;
    this.localPort = String(socket.localPort ?? 0);
    this.secure = 'encrypted' in socket;
    this.certified = this.secure && isVerified(socket);
    // A half-closed client counts as gone (behaviour.md, Bodies): node only tells requests whose body is unread.
    socket.on('end', () => {
      for (const writer of this.#writers.slice()) writer.clientHalfClosed();
    });
    socket.on('close', () => {
      for (const writer of this.#writers.slice()) writer.socketClosed();
    });
  }

  /** False for what stands behind the last request: nobody's message. */
  admit(response: ServerResponse): boolean {
    if (this.closing || this.#lastSeen) return false;
    if (this.endsWithNext) this.endWith(response);
    return true;
  }

  /** Nothing behind this response's request is admitted, and the connection ends with it. */
  endWith(response: ServerResponse): void {
    this.#lastSeen = true;
    response.shouldKeepAlive = false;
  }

  /** Whether a response is still owed. */
  get busy(): boolean {
    return this.#writers.length > 0 || this.#ownAnswers.length > 0;
  }

  /** One of the gateway's own endpoints waits for a body, and its answer is the next to go out. */
  get awaitsOwnAnswer(): boolean {
    const [answer] = this.#ownAnswers;
    if (answer === undefined || this.#ownAnswers.length > 1 || this.#writers.length > 0) return false;
    return this.receivingBody && !answer.headersSent;
  }

  /** Whether what comes next belongs to the body of a request. */
  get receivingBody(): boolean {
    const request = this.#writers.at(-1)?.request ?? this.#unfinished;
    return request !== null && !request.complete;
  }

  /** The body under way turned out malformed: its exchange is refused or cut, and the connection ends. */
  refuseBody(refusal: Refusal): void {
    const writer = this.#writers.at(-1);
    if (writer) writer.refuseLast(refusal);
    else this.socket.destroy();
  }

  /** Calls back once no response is owed any more, unless the connection ends with the last one. */
  afterLast(callback: () => void): void {
    if (this.busy) this.#afterLast = callback;
    else callback();
  }

  /** True when the writer's exchange may begin; else it waits for its turn: responses leave in order anyway. */
  add(writer: ResponseWriter): boolean {
    if (this.#writers.push(writer) > MAX_WAITING) this.socket.destroy();
    this.#unfinished = null;
    return this.#writers.length === 1;
  }

  remove(writer: ResponseWriter): void {
    const at = this.#writers.indexOf(writer);
    if (at === -1) return;
    this.#writers.splice(at, 1);
    if (!writer.request.complete) this.#unfinished = writer.request;
    this.#next();
  }

  /** One of the gateway's own endpoints answers this request; a body that it does not read has so long to end. */
  addOwn(request: IncomingMessage, response: ServerResponse, bodyTimeoutMs: number): void {
    this.#ownAnswers.push(response);
    this.#unfinished = request;
    response.once('close', () => {
      this.#ownAnswers.splice(this.#ownAnswers.indexOf(response), 1);
      if (!response.shouldKeepAlive) this.closing = true;
      if (request.complete && this.#unfinished === request) this.#unfinished = null;
      if (!request.complete && !this.closing) dumpRest(request, this.socket, bodyTimeoutMs);
      this.#next();
    });
  }

  #next(): void {
    if (this.closing || this.socket.destroyed) return;
    if (this.#writers.length > 0) this.#writers[0]!.begin();
    else if (!this.busy) this.#afterLast?.();
  }
}

const CONNECTION = Symbol('clientConnection');
type TrackedSocket = Socket & { [CONNECTION]?: ClientConnection };

/** The connection of a socket; made at its first use. */
export function connectionOf(socket: Socket): ClientConnection {
  return ((socket as TrackedSocket)[CONNECTION] ??= new ClientConnection(socket));
}
