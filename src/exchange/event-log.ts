import type { Exchange } from './exchange.js';
import type { Reason } from './reasons.js';

/** A structured log: `fields` first (plain data, snake_case), then the message, as pino takes them. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Nest token of the {@link Log}. A room logs its own lines through it (docs/logs.md lists them all). */
export const LOG = Symbol('Log');

/** The lines about single exchanges, written wherever an exchange goes wrong. */
export interface ExchangeLog {
  /**
   * One attempt failed. `reason` is what the exchange would end with; `attempt` counts from 1. Both default
   * to what the exchange says.
   */
  upstreamRequestFailed(exchange: Exchange, cause: Error, reason?: Reason | null, attempt?: number): void;
  /** A fault of the gateway or of an extension: with its stack. */
  internalError(exchange: Exchange | null, cause: unknown): void;
}

/** Nest token of the {@link ExchangeLog}. */
export const EXCHANGE_LOG = Symbol('ExchangeLog');
