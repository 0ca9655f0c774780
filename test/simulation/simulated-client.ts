import { Exchange } from '../../src/exchange/exchange.js';
import type { Refusal } from '../../src/exchange/refusal.js';
import type { ResponseSink, ResponseSource } from '../../src/exchange/response.js';
import type { Route } from '../../src/exchange/route.js';
import type { Upstream } from '../../src/exchange/upstream.js';

export interface SimulatedRequestOf {
  readonly tag: string;
  readonly method: string;
  readonly clientIp: string;
  readonly now: number;
  readonly upstream: Upstream;
}

/** As much of an exchange as forwarding reads, its target telling it from all others. */
export function simulatedExchange({ tag, method, clientIp, now, upstream }: SimulatedRequestOf): Exchange {
  const target = `/${tag}`;
  const head = {
    method,
    target,
    remoteAddress: clientIp,
    remotePort: 1,
    host: 'gateway',
    userAgent: null,
    rawHeaders: [],
    hasBody: false,
    contentLength: -1,
    transferEncoding: null,
    expect: null,
    connection: null,
    upgrade: false,
  };
  const exchange = new Exchange(tag, now, head);
  exchange.clientIp = clientIp;
  exchange.upstream = upstream;
  exchange.outgoing = { target, lines: [] };
  exchange.route = { id: 'simulated', path: '/' } as Route;
  exchange.raw = { httpVersionMinor: 1, complete: true } as never;
  return exchange;
}

/** How one exchange ended for its client. */
export class SimulatedClient implements ResponseSink {
  source: ResponseSource | null = null;
  status = 0;
  reason = '';
  ends = 0;
  left = false;

  constructor(readonly ended: (client: SimulatedClient) => void) {}

  head({ status }: { readonly status: number }): void {
    this.status = status;
  }

  data(): boolean {
    return true;
  }

  end(): void {
    this.#end('whole');
  }

  abort(): void {
    this.#end('cut');
  }

  refuse(refusal: Refusal): void {
    this.status = refusal.getStatus();
    this.#end(refusal.reason);
  }

  switched(): void {}

  interim(): void {}

  /** The client closes its connection, as far as it is not served yet. */
  leave(): void {
    if (this.ends > 0) return;
    this.left = true;
    this.#end('left');
    this.source?.cancel();
  }

  #end(reason: string): void {
    this.ends++;
    this.reason = reason;
    this.ended(this);
  }
}
