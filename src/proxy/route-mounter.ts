import type { CanActivate } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';

import { durationMs } from '../common/duration.js';
import type { GatewayConfig } from '../config/gateway.config.js';
import type { RouteConfig } from '../config/route.config.js';
import { DEFAULT_HEADERS, type DefaultHeadersCompiler } from '../exchange/default-headers.js';
import type { Exchange } from '../exchange/exchange.js';
import { FORWARD_STAGES, type Forwarder, type ForwarderFactory } from '../exchange/forwarder.js';
import { Refusal } from '../exchange/refusal.js';
import type { RouteHandler } from '../exchange/route.js';
import type { RouteMounter, RouteParts } from '../exchange/snapshot.js';
import { type GuardFactory, PIPELINE } from '../exchange/stage.js';
import { compileRetry } from './attempts/retry-policy.js';
import { compilePlan } from './forward-plan.js';
import { HttpForwarder } from './http-forwarder.js';
import { MirrorPlan } from './mirror/mirror-plan.js';
import { Mirrors } from './mirror/mirrors.js';
import { ProxyController } from './proxy.controller.js';
import { removedNames } from './removed-names.js';
import { RouteForwarder } from './route-forwarder.js';

/** Gives each configured route its controller with its compiled chain. */
@Injectable()
export class ProxyRouteMounter implements RouteMounter {
  constructor(
    @Inject(PIPELINE) private readonly pipeline: readonly GuardFactory[],
    @Inject(FORWARD_STAGES) private readonly stages: readonly ForwarderFactory[],
    @Inject(DEFAULT_HEADERS) private readonly defaults: DefaultHeadersCompiler,
    private readonly forwarder: HttpForwarder,
    private readonly mirrors: Mirrors,
  ) {}

  mount({ config, document, choice, mirror, target }: RouteParts): RouteHandler {
    const guards = this.pipeline.flatMap((factory): readonly CanActivate[] => {
      const made = factory.guardFor(config, document);
      if (made === undefined) return [];
      return 'canActivate' in made ? [made] : made;
    });
    const settings = {
      outgoing: {
        requestIdHeader: document.request_id.header.toLowerCase(),
        removed: removedNames(document),
      },
      bodyTimeoutMs: durationMs(document.server.body_timeout),
      retry: compileRetry(config.retry, { clock: this.forwarder.clock, random: Math.random }),
      mirror: mirror && new MirrorPlan(config, mirror, this.mirrors, Math.random),
    };
    const plan = compilePlan(config, choice, demanded(target), settings);
    const forwarder = this.#staged(config, document, new RouteForwarder(plan, this.forwarder));
    const defaults = this.defaults.forRoute(config);
    return new ProxyController(guards, choice, forwarder, this.forwarder.log, defaults);
  }

  /** A route pays for the stages that it uses alone. */
  #staged(config: Readonly<RouteConfig>, document: Readonly<GatewayConfig>, end: RouteForwarder): Forwarder {
    return this.stages.reduceRight<Forwarder>(
      (next, factory) => factory.wrap(config, document, next, end) ?? next,
      end,
    );
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
