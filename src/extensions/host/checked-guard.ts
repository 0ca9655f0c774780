import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { firstValueFrom, isObservable } from 'rxjs';

import { checkRawHeaders } from '../../exchange/header-list.js';
import { exchangeIn } from '../../exchange/stage.js';

/**
 * A guard of the team's own as the chain calls it. What it adds to `exchange.responseHeaders` is checked where it is
 * at fault, since the writer sends them with every answer, its own errors too.
 */
export class CheckedGuard implements CanActivate {
  constructor(readonly guard: CanActivate) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { responseHeaders } = exchangeIn(context);
    const first = responseHeaders.length;
    let later = false;
    try {
      const verdict = this.guard.canActivate(context);
      if (typeof verdict === 'boolean') return verdict;
      later = true;
      const promise = isObservable(verdict) ? firstValueFrom(verdict) : Promise.resolve(verdict);
      return promise.then((late) => this.#judged(late)).finally(() => this.#settle(responseHeaders, first));
    } finally {
      if (!later) this.#settle(responseHeaders, first);
    }
  }

  /** Nothing but true lets a request pass; something that is no verdict is the guard's fault, so it says so. */
  #judged(verdict: unknown): boolean {
    if (verdict === true || !verdict) return verdict === true;
    const { name } = this.guard.constructor;
    throw new TypeError(`${name} must answer true or false, got ${typeof verdict}`);
  }

  /** Drops what was added, and throws, when it cannot be sent. */
  #settle(headers: string[], first: number): void {
    if (headers.length === first) return;
    try {
      checkRawHeaders(headers, first);
    } catch (error) {
      headers.length = first;
      const { name } = this.guard.constructor;
      throw new TypeError(`${name} added a header that cannot be sent: ${String(error)}`, { cause: error });
    }
  }
}
