import { Exchange } from '../../exchange/exchange.js';
import type { ResponseSink, ResponseSource } from '../../exchange/response.js';

/** Where an answer goes that nobody waits for. */
export class NoSink implements ResponseSink {
  source: ResponseSource | null = null;
  head(): void {}
  data(): boolean {
    return true;
  }
  end(): void {}
  abort(): void {}
  refuse(): void {}
  switched(): void {}
  interim(): void {}
}

/** The same request once more, for the store alone: no observer sees it, and its client may be gone. */
export function repeated(exchange: Exchange): Exchange {
  const again = new Exchange(exchange.id, exchange.startedAt, exchange.head);
  again.path = exchange.path;
  again.target = exchange.target;
  again.peerTrusted = exchange.peerTrusted;
  again.route = exchange.route;
  again.params = exchange.params;
  again.clientIp = exchange.clientIp;
  again.identity = exchange.identity;
  again.upstreamHeaders = exchange.upstreamHeaders;
  again.upstream = exchange.upstream;
  again.raw = exchange.raw;
  const { outgoing } = exchange;
  again.outgoing = outgoing && { ...outgoing, lines: outgoing.lines.slice() };
  return again;
}
