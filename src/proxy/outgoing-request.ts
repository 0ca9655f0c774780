import type { Exchange } from '../exchange/exchange.js';
import type { OutgoingRequest } from '../exchange/forwarder.js';
import { connectionOf } from './client-connection.js';
import type { ForwardPlan } from './forward-plan.js';
import type { ScannedHead } from './request-head.js';
import { outgoingLines } from './request-headers.js';

/** Throws a Refusal when a rewrite makes no valid target. */
export function outgoingRequest(exchange: Exchange, plan: ForwardPlan): OutgoingRequest {
  const client = connectionOf(exchange.raw!.socket);
  return {
    target: plan.target(exchange),
    lines: outgoingLines(exchange, exchange.head as ScannedHead, client, plan.outgoing),
    edited: false,
  };
}
