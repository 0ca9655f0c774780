import type { CanActivate, ExecutionContext } from '@nestjs/common';

import type { Identity } from '../exchange/identity.js';
import { exchangeIn } from '../exchange/stage.js';
import type { LimitJudge } from './limit-judge.js';
import type { LimitSet } from './limit-set.js';

/** The limits of one route that depend on who sends a request: those for everybody, and one of the API key's own. */
export class IdentityLimitGuard implements CanActivate {
  /** By the id of an API key; made when the key first comes along the route. */
  readonly #ofKeys = new Map<string, LimitSet | null>();

  constructor(
    /** Of whoever has no limit of its own; null for none. */
    readonly limits: LimitSet | null,
    /** The limits of whoever holds the key with this id. */
    private readonly limitsOfKey: (id: string) => LimitSet | null,
    private readonly judge: LimitJudge,
  ) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    const exchange = exchangeIn(context);
    const limits = this.#limitsFor(exchange.identity);
    return limits === null || this.judge.pass(limits, exchange);
  }

  #limitsFor(identity: Identity | null): LimitSet | null {
    if (identity?.kind !== 'api_key') return this.limits;
    let limits = this.#ofKeys.get(identity.id);
    if (limits === undefined) this.#ofKeys.set(identity.id, (limits = this.limitsOfKey(identity.id)));
    return limits;
  }
}
