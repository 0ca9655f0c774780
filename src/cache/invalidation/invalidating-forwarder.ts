import type { Exchange } from '../../exchange/exchange.js';
import type { Forwarder } from '../../exchange/forwarder.js';
import { PassingSink } from '../../exchange/passing-sink.js';
import type { ResponseSink, UpstreamHead } from '../../exchange/response.js';
import type { Invalidator } from './invalidator.js';
import { isSafe } from './safe-methods.js';

/** Watches the unsafe requests of one route. */
export class InvalidatingForwarder implements Forwarder {
  constructor(
    private readonly next: Forwarder,
    private readonly invalidator: Invalidator,
  ) {}

  forward(exchange: Exchange, sink: ResponseSink): void {
    if (isSafe(exchange.head.method)) this.next.forward(exchange, sink);
    else this.next.forward(exchange, new InvalidatingSink(exchange, sink, this.invalidator));
  }
}

class InvalidatingSink extends PassingSink {
  constructor(
    private readonly exchange: Exchange,
    sink: ResponseSink,
    private readonly invalidator: Invalidator,
  ) {
    super(sink);
  }

  /** Before the client knows: what it reads next must not be what was there before. */
  override head(head: UpstreamHead): void {
    if (head.status < 400) this.invalidator.invalidate(this.exchange, head.headers);
    super.head(head);
  }
}
