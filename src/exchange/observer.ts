import type { Exchange } from './exchange.js';
import type { AnswerReason } from './reasons.js';

/**
 * Sees every exchange begin and end and changes nothing (metrics, access log, tracing). `ended` is called
 * exactly once for each `started`, whatever happened.
 */
export interface ExchangeObserver {
  started?(exchange: Exchange): void;
  ended(exchange: Exchange): void;
  /** Told instead of both, once, when the HTTP parser refused what came before there was a request. */
  parserRefused?(refusal: ParserRefusal): void;
}

/** What the HTTP parser refused (400, 408, 431, …): there is no request, only a socket. */
export interface ParserRefusal {
  readonly id: string;
  readonly reason: AnswerReason;
  /** Status sent. */
  readonly status: number;
  /** Bytes of body written. */
  readonly bytesWritten: number;
  readonly remoteAddress: string | undefined;
  readonly remotePort: number | undefined;
}

/** Nest token of the observers, in the order in which they are told. */
export const EXCHANGE_OBSERVERS = Symbol('ExchangeObservers');
