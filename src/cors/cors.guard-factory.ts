import { Injectable } from '@nestjs/common';

import type { RouteConfig } from '../config/route.config.js';
import type { GuardFactory } from '../exchange/stage.js';
import { CorsGuard } from './cors.guard.js';
import { CorsPolicy } from './cors-policy.js';

/** `cors` of a route, where the document's is filled in already. */
@Injectable()
export class CorsGuardFactory implements GuardFactory {
  readonly stage = 'cors';

  guardFor({ cors }: Readonly<RouteConfig>): CorsGuard | undefined {
    return cors === null ? undefined : new CorsGuard(new CorsPolicy(cors));
  }
}
