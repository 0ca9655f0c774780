import type { IncomingMessage, ServerResponse } from 'node:http';

import type { FastifyReply, FastifyRequest } from 'fastify';

import { type ClientCertificate, clientCertificateOf } from './client-certificate.js';
import type { DefaultHeaders } from './default-headers.js';
import type { OutgoingRequest } from './forwarder.js';
import type { Identity } from './identity.js';
import type { LimitsTaken } from './limits-taken.js';
import type { Reason } from './reasons.js';
import type { Route } from './route.js';
import type { CanonicalTarget } from './router.js';
import type { Backend, Upstream } from './upstream.js';

export type CacheStatus = 'HIT' | 'MISS' | 'STALE' | 'BYPASS';

/**
 * One request and its response on their way through the gateway: the one typed object that travels.
 * Each stage fills its own part; nobody hangs further fields on it.
 */
export class Exchange {
  /** The path's canonical form (matching, guards, limits); null until it was computed or when it was refused. */
  path: string | null = null;
  /** The request target as read; null until then or when it was refused. */
  target: CanonicalTarget | null = null;
  /** The peer is a trusted proxy: what its X-Forwarded-* say of the client is believed. */
  peerTrusted = false;
  /** The route that matched; null for unmatched requests. */
  route: Route | null = null;
  /** Decoded path parameters of the route, by name. */
  params: Readonly<Record<string, string>> = NO_PARAMS;
  /** The client's address as `trusted_proxies` decides it; no brackets, no zone, IPv4 unmapped. */
  clientIp = '';
  identity: Identity | null = null;
  /** What the upstream is told of the identity: name, value, name, value, …; null for nothing. */
  upstreamHeaders: string[] | null = null;
  /** Kept where a later limit may refuse; null for nothing. */
  taken: LimitsTaken | null = null;
  /** The request as the upstream will get it, once a stage asked for it. */
  outgoing: OutgoingRequest | null = null;
  /** The whole request body, where a stage had to see it. */
  body: Buffer | null = null;
  /** Where it goes, once that is chosen. */
  upstream: Upstream | null = null;
  /** The backend of the latest attempt. */
  backend: Backend | null = null;
  /** Attempts begun: sockets tried, refused ones included. */
  attempts = 0;
  cache: CacheStatus | null = null;
  /** Why the gateway answered itself or cut the transfer; null when the upstream's answer went through. */
  reason: Reason | null = null;
  /** Status sent to the client (499 when it left before one); 0 until then. */
  status = 0;
  /** Bytes of body handed to the client. */
  bytesWritten = 0;
  traceId: string | null = null;
  /** What the writer adds where the answer has none of its own; the document's until the route's is known. */
  defaultHeaders: DefaultHeaders | null = null;
  /** Headers that the writer adds to whatever answer is sent: name, value, name, value, … */
  readonly responseHeaders: string[] = [];
  /** Monotonic milliseconds: when the first attempt was handed to a backend, when its head arrived; 0 = never. */
  upstreamStartedAt = 0;
  upstreamHeadAt = 0;
  /** Monotonic milliseconds at the end; 0 while the exchange runs. */
  endedAt = 0;

  /** As node gives them; null when the parser refused the request before there was one. */
  raw: IncomingMessage | null = null;
  /** Written by the writer alone. */
  response: ServerResponse | null = null;
  /** Makes what guards and interceptors see. */
  framework: Framework | null = null;
  #request: FastifyRequest | null = null;
  #reply: FastifyReply | null = null;

  constructor(
    /** The request id (`request_id` in logs, `instance` in problem documents). */
    readonly id: string,
    /** Monotonic milliseconds at which the head was complete. */
    readonly startedAt: number,
    readonly head: RequestHead,
  ) {}

  /** What a guard or interceptor sees, made at the first use; null when the parser refused the request before there was one. */
  get request(): FastifyRequest | null {
    if (this.#request === null) this.framework?.show(this);
    return this.#request;
  }

  get reply(): FastifyReply | null {
    if (this.#reply === null) this.framework?.show(this);
    return this.#reply;
  }

  /** Guards and interceptors see it as these. */
  shownAs(request: FastifyRequest, reply: FastifyReply): void {
    this.#request = request;
    this.#reply = reply;
  }

  /** The client's own certificate, when TLS verified one. */
  get clientCertificate(): ClientCertificate | null {
    return this.raw && clientCertificateOf(this.raw.socket);
  }
}

/** The web framework in which the gateway's own endpoints live, and whose requests and replies teams' guards know. */
export interface Framework {
  /** Gives the exchange its request and reply (`shownAs`), before anything of the answer was written. */
  show(exchange: Exchange): void;
}

/** The request head as it came, read once; everything that logs, metrics and limits need of it. */
export interface RequestHead {
  readonly method: string;
  /** The request target in original bytes (`req.url`). */
  readonly target: string;
  /** The peer of the socket: address (IPv4 unmapped, no brackets) and port. */
  readonly remoteAddress: string;
  readonly remotePort: number;
  /** Host header as it came; empty when absent. The authority of an absolute target goes before it. */
  readonly host: string;
  readonly userAgent: string | null;
  /** Whether a body follows (RFC 9112 §6.3). */
  readonly hasBody: boolean;
  /** As announced, in bytes; -1 = not. */
  readonly contentLength: number;
  /** An upgrade to WebSocket is asked for. */
  readonly upgrade: boolean;
  /** Name, value, name, value, … in original order and case, values as `latin1` text. */
  readonly rawHeaders: readonly string[];
}

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze(Object.create(null));

declare module 'fastify' {
  interface FastifyRequest {
    /** The exchange that this request belongs to; on requests for routes only. */
    exchange: Exchange;
  }
}
