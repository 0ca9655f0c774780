import type { CanActivate, ExecutionContext, NestInterceptor } from '@nestjs/common';

import type { GatewayConfig } from '../config/gateway.config.js';
import type { RouteConfig } from '../config/route.config.js';
import type { Exchange } from './exchange.js';

/**
 * One policy of the path. `guardFor` is asked once per route when a snapshot is compiled; a route that does
 * not use the policy gets nothing, so what is off costs nothing.
 */
export interface GuardFactory {
  /** The stage's name, as the pipeline lists it. */
  readonly stage: string;
  /**
   * `document` is the whole document the route comes from, for what routes do not inherit (`rate_limit_global`,
   * `auth.jwt`). So a compiled chain may be kept over a reload only while those stayed the same too.
   */
  guardFor(
    route: Readonly<RouteConfig>,
    document: Readonly<GatewayConfig>,
  ): CanActivate | readonly CanActivate[] | undefined;
}

/** Nest token of the guard factories in the order of the path (written once, in `pipeline.ts`). */
export const PIPELINE = Symbol('Pipeline');

/** What of the team's own stands around the forwarder of a route. */
export interface InterceptorFactory {
  /** Asked once per route when a snapshot is compiled; empty for a route without any. */
  interceptorsFor(
    route: Readonly<RouteConfig>,
    document: Readonly<GatewayConfig>,
  ): readonly NestInterceptor[];
}

/** Nest token of the {@link InterceptorFactory}. */
export const INTERCEPTORS = Symbol('Interceptors');

/** The context of a guard of the path. */
export interface ExchangeContext extends ExecutionContext {
  readonly exchange: Exchange;
}

/** The exchange of one of the gateway's own guards, for which nobody has to make a request and a reply first. */
export function exchangeIn(context: ExecutionContext): Exchange {
  return (context as Partial<ExchangeContext>).exchange ?? exchangeOf(context.switchToHttp().getRequest());
}

/** The exchange behind the request that a Nest guard or interceptor was given. */
export function exchangeOf(request: unknown): Exchange {
  return (request as { exchange: Exchange }).exchange;
}
