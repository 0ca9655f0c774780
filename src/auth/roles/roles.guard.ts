import type { CanActivate, ExecutionContext } from '@nestjs/common';

import { Refusal } from '../../exchange/refusal.js';
import { exchangeIn } from '../../exchange/stage.js';

/** Lets through who has one of the route's roles. Whoever is not known has none. */
export class RolesGuard implements CanActivate {
  readonly #roles: ReadonlySet<string>;

  constructor(roles: readonly string[]) {
    this.#roles = new Set(roles);
  }

  canActivate(context: ExecutionContext): boolean {
    const { identity } = exchangeIn(context);
    if (identity !== null && identity.roles.some((role) => this.#roles.has(role))) return true;
    throw new Refusal('insufficient_privileges');
  }
}
