import { Injectable } from '@nestjs/common';

import type { GatewayConfig } from '../config/gateway.config.js';
import type { RouteConfig } from '../config/route.config.js';
import type { GuardFactory } from '../exchange/stage.js';
import { IdentityLimitGuard } from './identity-limit.guard.js';
import { LimitCompiler } from './limit-compiler.js';
import { LimitJudge } from './limit-judge.js';
import { limitsByIdentity, limitsOfKeys } from './limit-places.js';

/** The limits that depend on who sends a request: by user, by API key, and those of single keys. */
@Injectable()
export class IdentityLimitGuardFactory implements GuardFactory {
  readonly stage = 'identity_rate_limit';

  constructor(
    private readonly compiler: LimitCompiler,
    private readonly judge: LimitJudge,
  ) {}

  guardFor(route: Readonly<RouteConfig>, document: Readonly<GatewayConfig>): IdentityLimitGuard | undefined {
    const placed = limitsByIdentity(route, document);
    const ofKeys = limitsOfKeys(route.auth, document);
    if (placed.length === 0 && ofKeys.size === 0) return undefined;
    const limits = this.compiler.setOf(route, document, placed);
    this.compiler.openStores(document, ofKeys.values());
    return new IdentityLimitGuard(
      limits,
      (id) => {
        const own = ofKeys.get(id);
        return own ? this.compiler.setOf(route, document, [...placed, own]) : limits;
      },
      this.judge,
    );
  }
}
