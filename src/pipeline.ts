import type { Provider } from '@nestjs/common';

import { PIPELINE, type GuardFactory } from './exchange/stage.js';
import { ExtensionUses } from './extensions/host/extension-uses.js';
import { RateLimitGuardFactory } from './rate-limit/rate-limit.guard-factory.js';

/**
 * The path of a request between match and forwarder, in order, written here and nowhere else. Before it: the
 * canonical path and the match (routing/router.ts). After it: request size, choice of the backend, attempts, the
 * one writer to the client, and the observers (proxy/).
 */
export const STAGES = [
  RateLimitGuardFactory, // limits that need no identity: global, per ip, per route
  ExtensionUses, // the route's own guards
] as const;

export const pipelineProvider: Provider = {
  provide: PIPELINE,
  useFactory: (...factories: GuardFactory[]) => factories,
  inject: [...STAGES],
};
