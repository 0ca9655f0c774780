import type { Provider } from '@nestjs/common';

import { AuthGuardFactory } from './auth/auth.guard-factory.js';
import { IpListGuardFactory } from './auth/ip-lists/ip-list.guard-factory.js';
import { RolesGuardFactory } from './auth/roles/roles.guard-factory.js';
import { CacheStage } from './cache/cache-stage.js';
import { CorsGuardFactory } from './cors/cors.guard-factory.js';
import { OwnCorsStage } from './cors/own-cors.stage.js';
import { FORWARD_STAGES, type ForwarderFactory } from './exchange/forwarder.js';
import { PIPELINE, type GuardFactory } from './exchange/stage.js';
import { ExtensionUses } from './extensions/host/extension-uses.js';
import { InterceptorStage } from './proxy/interception/interceptor-stage.js';
import { IdentityLimitGuardFactory } from './rate-limit/identity-limit.guard-factory.js';
import { RateLimitGuardFactory } from './rate-limit/rate-limit.guard-factory.js';
import { UpstreamLimitStage } from './rate-limit/upstream-limit.stage.js';
import { CompressionStage } from './transform/compression/compression.stage.js';
import { RequestTransformStage } from './transform/request-transform.js';
import { ResponseTransformStage } from './transform/response-transform.js';
import { ValidationStage } from './validation/validation.stage.js';

/**
 * The path of a request between match and forwarder, in order, written here and nowhere else. Before it: the
 * canonical path and the match (routing/router.ts). After it: request size, choice of the backend, attempts, the
 * one writer to the client, and the observers (proxy/).
 */
export const STAGES = [
  CorsGuardFactory, // preflights answered, headers promised for every answer
  IpListGuardFactory, // addresses that may pass or may not
  RateLimitGuardFactory, // limits that need no identity: global, per ip, per route, per header
  AuthGuardFactory, // who it is: token, API key
  RolesGuardFactory, // what that one may do
  IdentityLimitGuardFactory, // limits that need one: by user, by API key
  ExtensionUses, // the route's own guards
] as const;

/**
 * The stages between the guards and the upstream, the one next to the client first: what a request meets from top
 * to bottom, its answer meets from bottom to top.
 */
export const FORWARDERS = [
  CompressionStage, // in the coding that suits the client
  OwnCorsStage, // what others say of CORS is dropped
  InterceptorStage, // the team's own interceptors
  ValidationStage, // the request fits the schemas of its route
  RequestTransformStage, // headers and query of the request
  CacheStage, // answers from the store, and into it
  ResponseTransformStage, // headers and status of the answer
  UpstreamLimitStage, // what an upstream is sent in all
] as const;

export const forwardersProvider: Provider = {
  provide: FORWARD_STAGES,
  useFactory: (...factories: ForwarderFactory[]) => factories,
  inject: [...FORWARDERS],
};

export const pipelineProvider: Provider = {
  provide: PIPELINE,
  useFactory: (...factories: GuardFactory[]) => factories,
  inject: [...STAGES],
};
