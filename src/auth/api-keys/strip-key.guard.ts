import type { CanActivate, ExecutionContext } from '@nestjs/common';

import { exchangeIn } from '../../exchange/stage.js';
import type { QueryParameter } from './query-parameter.js';

/**
 * Takes the key out of the query that everything behind it sees: rewrites, mirrors, the cache, the upstream.
 * A key in a header never gets there: it is one of the names that clients may not send on.
 */
export class StripKeyGuard implements CanActivate {
  constructor(private readonly parameter: QueryParameter) {}

  canActivate(context: ExecutionContext): boolean {
    const exchange = exchangeIn(context);
    const target = exchange.target!;
    if (target.query === '') return true;
    const query = this.parameter.without(target.query);
    if (query !== target.query) {
      exchange.target = { ...target, query, originForm: target.rawPath + query };
    }
    return true;
  }
}
