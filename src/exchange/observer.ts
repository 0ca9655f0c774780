import type { Exchange } from './exchange.js';

/**
 * Sees every exchange begin and end and changes nothing (metrics, access log, tracing). `ended` is called
 * exactly once for each `started`, whatever happened.
 */
export interface ExchangeObserver {
  started?(exchange: Exchange): void;
  ended(exchange: Exchange): void;
}

/** Nest token of the observers, in the order in which they are told. */
export const EXCHANGE_OBSERVERS = Symbol('ExchangeObservers');
