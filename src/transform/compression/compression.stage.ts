import { Inject, Injectable } from '@nestjs/common';

import { sizeBytes } from '../../common/size.js';
import type { GatewayConfig } from '../../config/gateway.config.js';
import type { RouteConfig } from '../../config/route.config.js';
import { EXCHANGE_LOG, type ExchangeLog } from '../../exchange/event-log.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { Forwarder, ForwarderFactory } from '../../exchange/forwarder.js';
import type { ResponseSink } from '../../exchange/response.js';
import { compileTypes } from './compressible.js';
import { CompressingSink, type CompressionPlan } from './compressing-sink.js';

/** Compresses answers for clients that take it: `compression`. */
@Injectable()
export class CompressionStage implements ForwarderFactory {
  readonly stage = 'compression';

  constructor(@Inject(EXCHANGE_LOG) private readonly log: ExchangeLog) {}

  wrap(
    { compression }: Readonly<RouteConfig>,
    _document: Readonly<GatewayConfig>,
    next: Forwarder,
  ): Forwarder | undefined {
    if (compression === null) return undefined;
    const { encodings, min_size: minSize, types } = compression;
    const plan = {
      codings: encodings,
      minSize: sizeBytes(minSize),
      isType: compileTypes(types),
      log: this.log,
    };
    return new Compression(plan, next);
  }
}

class Compression implements Forwarder {
  constructor(
    readonly plan: CompressionPlan,
    readonly next: Forwarder,
  ) {}

  forward(exchange: Exchange, sink: ResponseSink): void {
    const { upgrade } = exchange.head;
    this.next.forward(exchange, upgrade ? sink : new CompressingSink(sink, exchange, this.plan));
  }
}
