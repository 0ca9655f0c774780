import { Injectable } from '@nestjs/common';

import type { RouteConfig } from '../../config/route.config.js';
import type { GuardFactory } from '../../exchange/stage.js';
import { IpListGuard } from './ip-list.guard.js';

/** `ip` of a route. */
@Injectable()
export class IpListGuardFactory implements GuardFactory {
  readonly stage = 'ip';

  guardFor({ ip }: Readonly<RouteConfig>): IpListGuard | undefined {
    return ip === null || (ip.allow.length === 0 && ip.deny.length === 0) ? undefined : new IpListGuard(ip);
  }
}
