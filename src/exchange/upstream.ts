import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

import type { Exchange } from './exchange.js';
import type { Refusal } from './refusal.js';

/** One `url` of an upstream, as the path sees it. */
export interface Backend {
  readonly id: string;
  /** The url as configured, for logs. */
  readonly url: string;
  readonly upstream: string;
  readonly weight: number;
  readonly origin: URL;
  /** Path in front of every request's path; no trailing slash; empty for none. */
  readonly basePath: string;
  readonly state: BackendState;
  readonly pool: ConnectionPool;
  /** Null without `circuit_breaker`. */
  readonly breaker: Breaker | null;
  /** Exchanges it may have at once; 0 = no bound. A reload changes it for exchanges of older snapshots too. */
  readonly maxInFlight: number;
  /** An exchange is handed to it: what comes back goes to `end`. */
  begin(): Permit | null;
  /** The exchange needs the backend no more. Exactly once for each `begin`. */
  end(permit: Permit | null, outcome: Outcome): void;
  /** It takes part again (it is healthy, or drains no more): those who wait may have it. */
  returned(): void;
}

/** The sockets to one backend; kept over reloads while the backend and its `connection` stay the same. */
export interface ConnectionPool {
  /**
   * Hands a request to a connection: an idle one, else a new one, else it waits for one. False, and nothing
   * was done, when `max_pending` requests wait already. `fresh` asks for a new socket of its own.
   */
  dispatch(request: UpstreamRequest, handler: PooledHandler, fresh?: boolean): boolean;
  /** Takes a waiting request out of the queue; false when it does not wait. */
  cancel(handler: PooledHandler): boolean;
  /**
   * Opens a socket of the caller's own in the way of the pool's: through the backend's proxy, with its TLS, within
   * `connect_timeout`. `done` is called once, later. `bare` leaves out TLS.
   */
  dial(done: Dialled, bare?: boolean): Dialling;
  /**
   * Ends idle sockets now and busy ones when their exchange ends. Exchanges that began on an older snapshot
   * may still dispatch afterwards; their sockets end with them.
   */
  close(): void;
}

/** A connected socket, nobody listening to it yet, or why there is none; then nothing was sent to the backend. */
export type Dialled = (...result: [error: Error, socket: null] | [error: null, socket: Socket]) => void;

/** A socket on its way. */
export interface Dialling {
  /** Gives it up; its `done` is not called any more. */
  destroy(): void;
}

/** A request as a pool sends it; its other header lines are its handler's. */
export interface UpstreamRequest {
  readonly method: string;
  /** Origin form (RFC 9112 §3.2.1), with the backend's base path. */
  path: string;
  /** Value of Host; null = the backend's own host and port. */
  readonly host: string | null;
  /** Bytes of a body that is a stream; -1 = nobody knows before it ends. */
  readonly contentLength: number;
  body: Readable | Buffer | null;
}

/** The head of a response as a backend sent it. */
export interface ReceivedHead {
  readonly status: number;
  readonly statusText: string;
  /** name, value, name, value, … with bytes (as latin1), order and repetition as they came. */
  readonly fields: readonly string[];
  /** Value of Connection; null = none. */
  readonly connection: string | null;
  /** Value of Transfer-Encoding; null = none. */
  readonly transferEncoding: string | null;
  /** -1 = not said. */
  readonly contentLength: number;
}

/**
 * Whoever makes a request hears of it here, in this order; after `failed` or `responseEnded` no more. None of these may
 * throw. The pool tells it which connection carries it.
 */
export interface PooledHandler {
  /** Header lines (name, value, …) that are valid already (RFC 9110 §5.5): the parser's own, or made of such. */
  readonly lines: readonly string[];
  connection: PooledConnection | null;
  /** A connected socket is there: from here on bytes may have been sent. */
  requestStarted(): void;
  /** The first byte of an answer came. */
  answerBegan(): void;
  /** The final head, or one in front of it (RFC 9110 §15.2). */
  headReceived(head: ReceivedHead): void;
  bodyReceived(piece: Buffer): void;
  /** @param trailers name, value, … */
  responseEnded(trailers: readonly string[] | null): void;
  failed(cause: Error): void;
}

/** One connection as the handler that holds it sees it. */
export interface PooledConnection {
  /** Whether it has served a request before (the keep-alive race). */
  readonly reused: boolean;
  /** The request is over; whether the connection may serve the next one. Exactly once. */
  release(reusable: boolean): void;
  /** Nothing more of the body is wanted for now. */
  pause(): void;
  resume(): void;
  /** Gives the request up, which `failed` tells at once. */
  abort(cause: Error): void;
}

/** What is known of a backend; keyed by upstream name and backend id, it lives across reloads. */
export interface BackendState {
  healthy: boolean;
  /** Exchanges handed to it that have not ended. */
  inFlight: number;
  /** It gets no new exchanges; those it has are finished. */
  draining: boolean;
  /** Monotonic milliseconds since when it takes part (again), from which `slow_start` counts; 0 = it always did. */
  servingSince: number;
}

/** What an exchange that a backend was given says of the backend. A client that left says nothing: `abandoned`. */
export type Outcome = 'success' | 'failure' | 'abandoned';

export type CircuitName = 'closed' | 'open' | 'half-open';

/** Keeps exchanges away from one backend while it fails. */
export interface Breaker {
  readonly circuit: CircuitName;
  /** Whether an exchange may be handed to the backend at this moment. Changes nothing that a caller can see. */
  admits(): boolean;
  /** An exchange that was admitted is handed over now. */
  begin(): Permit;
  /** What a final status says of the backend. */
  outcomeOf(status: number): Outcome;
  /** Milliseconds until it may admit again; 0 when it does. */
  waitMs(): number;
}

/** One exchange as its backend's breaker knows it. */
export interface Permit {
  /** Whether the gateway still waits for the client's body: a slow client says nothing of the backend. */
  uploading(on: boolean): void;
  /** The final head came, with a status that is no failure; the body may take long. */
  headed(): void;
  /** Exactly once. */
  settle(outcome: Outcome): void;
}

/** A named pool of backends. */
export interface Upstream {
  readonly name: string;
  readonly backends: readonly Backend[];
  readonly balancing: string;
  readonly critical: boolean;
  /** Host header of its requests: `backend`, `preserve`, or a literal. */
  readonly hostHeader: string;
  /**
   * The next backend for this exchange, or null when none may be tried; none of those in `tried` is tried again.
   * Allocates nothing.
   */
  pick(exchange: Exchange, tried: TriedBackends | null): Backend | null;
  /** What a client is told when `pick` found none and nothing was tried: no healthy one, all circuits open, or all full. */
  refusal(): Refusal;
  /** Whether `pick` found none only because those it might have taken are full. */
  isFull(tried: TriedBackends | null): boolean;
  /** Whether anybody at all could be given a backend now. */
  hasRoom(): boolean;
  /** Takes a place in the line for a backend that is full; false when there is no line, or it is full itself. */
  join(waiting: WaitingExchange): boolean;
  leave(waiting: WaitingExchange): void;
  /** Longest wait in the line, in milliseconds. */
  readonly queueMs: number;
  /** This backend's final head goes to the client now: the upstream may add to `exchange.responseHeaders`. */
  answering(exchange: Exchange, backend: Backend): void;
  /** Name of the cookie that it gives to clients, which no backend gets to see; null = none. */
  readonly ownCookie: string | null;
}

/** An exchange in the line of an upstream. */
export interface WaitingExchange {
  readonly upstream: Upstream;
  /** A place may have become free. True: it was taken, and the exchange waits no more. Must not throw. */
  offered(): boolean;
}

/** Which upstream an exchange goes to. */
export interface UpstreamChoice {
  choose(exchange: Exchange): Upstream;
}

/** The backends an exchange has tried; absent until the first one failed, so the common case allocates nothing. */
export type TriedBackends = Set<Backend>;

/** The upstreams of the snapshot in force; health endpoints, metrics and the admin API ask it each time anew. */
export interface CurrentUpstreams {
  upstreams(): Iterable<Upstream>;
}

/** Nest token of the {@link CurrentUpstreams}. */
export const CURRENT_UPSTREAMS = Symbol('CurrentUpstreams');
