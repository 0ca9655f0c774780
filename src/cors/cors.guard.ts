import type { CanActivate, ExecutionContext } from '@nestjs/common';

import { preflightMethod } from '../common/preflight.js';
import { indexOfHeader, soleHeader } from '../common/raw-headers.js';
import { EarlyAnswer } from '../exchange/early-answer.js';
import type { Exchange, RequestHead } from '../exchange/exchange.js';
import { Refusal } from '../exchange/refusal.js';
import { exchangeIn } from '../exchange/stage.js';
import type { CorsPolicy } from './cors-policy.js';

const ANSWERED = new EarlyAnswer(204);

/**
 * The first guard of a route with `cors`: answers preflights, and promises the headers that every other answer
 * carries, the gateway's own refusals included.
 */
export class CorsGuard implements CanActivate {
  constructor(private readonly policy: CorsPolicy) {}

  canActivate(context: ExecutionContext): boolean {
    const exchange = exchangeIn(context);
    const { method, rawHeaders } = exchange.head;
    if (preflightMethod(method, rawHeaders) !== null) {
      this.policy.answerPreflight(rawHeaders, exchange.responseHeaders);
      throw ANSWERED;
    }
    this.#promise(exchange);
    return true;
  }

  #promise({ head, responseHeaders }: Exchange): void {
    const origin = soleHeader(head.rawHeaders, 'origin');
    this.policy.promise(origin, responseHeaders);
    if (!this.policy.allows(origin) && isForeignHandshake(head)) {
      throw new Refusal('forbidden', { detail: 'this origin may not open WebSockets here' });
    }
  }
}

/**
 * A browser opens WebSockets to anywhere, with cookies, and lets the page read them: only the server can refuse
 * (RFC 6455 §10.2). Whoever is no browser names no origin.
 */
function isForeignHandshake({ rawHeaders }: RequestHead): boolean {
  const at = indexOfHeader(rawHeaders, 'upgrade');
  if (at < 0 || !/websocket/i.test(rawHeaders[at + 1]!)) return false;
  return indexOfHeader(rawHeaders, 'origin') >= 0;
}
