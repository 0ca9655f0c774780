import { Injectable } from '@nestjs/common';

import type { RouteConfig } from '../../config/route.config.js';
import type { GuardFactory } from '../../exchange/stage.js';
import { RolesGuard } from './roles.guard.js';

/** `roles` of a route. */
@Injectable()
export class RolesGuardFactory implements GuardFactory {
  readonly stage = 'roles';

  guardFor({ roles }: Readonly<RouteConfig>): RolesGuard | undefined {
    return roles.length === 0 ? undefined : new RolesGuard(roles);
  }
}
