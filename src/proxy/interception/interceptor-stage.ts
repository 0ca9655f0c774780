import { Inject, Injectable } from '@nestjs/common';

import type { GatewayConfig } from '../../config/gateway.config.js';
import type { RouteConfig } from '../../config/route.config.js';
import { EXCHANGE_LOG, type ExchangeLog } from '../../exchange/event-log.js';
import type { Forwarder, ForwarderFactory } from '../../exchange/forwarder.js';
import { type InterceptorFactory, INTERCEPTORS } from '../../exchange/stage.js';
import { InterceptedForwarder } from './intercepted-forwarder.js';

/** The team's own interceptors, around the routes that name any. */
@Injectable()
export class InterceptorStage implements ForwarderFactory {
  readonly stage = 'interceptors';

  constructor(
    @Inject(INTERCEPTORS) private readonly interceptors: InterceptorFactory,
    @Inject(EXCHANGE_LOG) private readonly log: ExchangeLog,
  ) {}

  wrap(
    route: Readonly<RouteConfig>,
    document: Readonly<GatewayConfig>,
    next: Forwarder,
  ): Forwarder | undefined {
    const interceptors = this.interceptors.interceptorsFor(route, document);
    return interceptors.length === 0
      ? undefined
      : new InterceptedForwarder([...interceptors], next, this.log);
  }
}
