import type { CanActivate } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';

import { durationMs } from '../common/duration.js';
import type { Exchange } from '../exchange/exchange.js';
import { Refusal } from '../exchange/refusal.js';
import type { RouteHandler } from '../exchange/route.js';
import type { RouteMounter, RouteParts } from '../exchange/snapshot.js';
import { type GuardFactory, PIPELINE } from '../exchange/stage.js';
import { compilePlan } from './forward-plan.js';
import { HttpForwarder } from './http-forwarder.js';
import { ProxyController } from './proxy.controller.js';

/** Gives each configured route its controller with its compiled chain. */
@Injectable()
export class ProxyRouteMounter implements RouteMounter {
  constructor(
    @Inject(PIPELINE) private readonly pipeline: readonly GuardFactory[],
    private readonly forwarder: HttpForwarder,
  ) {}

  mount({ config, document, upstream, target }: RouteParts): RouteHandler {
    const guards = this.pipeline.flatMap((factory): readonly CanActivate[] => {
      const made = factory.guardFor(config, document);
      if (made === undefined) return [];
      return 'canActivate' in made ? [made] : made;
    });
    const settings = {
      outgoing: {
        hostHeader: document.upstreams[config.upstream]?.host_header ?? 'backend',
        requestIdHeader: document.request_id.header.toLowerCase(),
      },
      bodyTimeoutMs: durationMs(document.server.body_timeout),
      connectMs: durationMs(document.upstreams[config.upstream]?.connection.connect_timeout ?? '5s'),
    };
    const plan = compilePlan(config, upstream, demanded(target), settings);
    return new ProxyController(guards, plan, this.forwarder);
  }
}

/** A rewrite can make a target out of what the client sent that the gateway would not accept itself. */
function demanded(target: RouteParts['target']): (exchange: Exchange) => string {
  return (exchange) => {
    const path = target(exchange);
    if (path === null)
      throw new Refusal('bad_request', { detail: 'the rewritten path is not a valid target' });
    return path;
  };
}
