import { Injectable } from '@nestjs/common';

import type { GatewayConfig } from '../config/gateway.config.js';
import type { RouteConfig } from '../config/route.config.js';
import type { Forwarder, ForwarderFactory } from '../exchange/forwarder.js';
import { CorsPolicy } from './cors-policy.js';
import { OwnCorsSink } from './own-cors.sink.js';

/** Next to the client: whatever answers behind it, there is one `Access-Control-Allow-Origin`. */
@Injectable()
export class OwnCorsStage implements ForwarderFactory {
  readonly stage = 'cors';

  wrap(
    { cors }: Readonly<RouteConfig>,
    _document: Readonly<GatewayConfig>,
    next: Forwarder,
  ): Forwarder | undefined {
    if (cors === null) return undefined;
    const { varies } = new CorsPolicy(cors);
    return { forward: (exchange, sink) => next.forward(exchange, new OwnCorsSink(sink, varies)) };
  }
}
