import { Injectable } from '@nestjs/common';

import type { GatewayConfig } from '../config/gateway.config.js';
import type { RouteConfig } from '../config/route.config.js';
import type { Exchange } from '../exchange/exchange.js';
import type { Forwarder, ForwarderFactory } from '../exchange/forwarder.js';
import { PassingSink } from '../exchange/passing-sink.js';
import type { ResponseSink, UpstreamHead } from '../exchange/response.js';
import { compileHeaderEdits, type HeaderEdits } from './header-edits.js';
import { compileStatusEdits, type StatusEdits } from './status-edits.js';

/** Changes what the upstream answered: `transform.response`. The gateway's own answers pass it by. */
@Injectable()
export class ResponseTransformStage implements ForwarderFactory {
  readonly stage = 'transform.response';

  wrap(
    route: Readonly<RouteConfig>,
    _document: Readonly<GatewayConfig>,
    next: Forwarder,
  ): Forwarder | undefined {
    const { response } = route.transform;
    const headers = compileHeaderEdits(response.headers, route.path);
    const status = compileStatusEdits(response.status);
    if (headers === null && status === null) return undefined;
    return new ResponseTransform(headers, status, next);
  }
}

class ResponseTransform implements Forwarder {
  constructor(
    readonly headers: HeaderEdits | null,
    readonly status: StatusEdits | null,
    readonly next: Forwarder,
  ) {}

  forward(exchange: Exchange, sink: ResponseSink): void {
    const { upgrade } = exchange.head;
    this.next.forward(exchange, upgrade ? sink : new EditingSink(sink, exchange, this));
  }
}

class EditingSink extends PassingSink {
  constructor(
    sink: ResponseSink,
    readonly exchange: Exchange,
    readonly edits: Pick<ResponseTransform, 'headers' | 'status'>,
  ) {
    super(sink);
  }

  override head(head: UpstreamHead): void {
    const { headers, status } = this.edits;
    const mapped = status === null ? head : status(head);
    this.sink.head(
      headers === null ? mapped : { ...mapped, headers: headers(mapped.headers, this.exchange) },
    );
  }
}
