import type { CanActivate, ExecutionContext } from '@nestjs/common';

import type { Exchange } from '../exchange/exchange.js';
import type { Identity } from '../exchange/identity.js';
import { Refusal } from '../exchange/refusal.js';
import { exchangeIn } from '../exchange/stage.js';
import type { Authenticator } from './authenticator.js';

/**
 * Lets a request through that one of the route's authenticators knows, asked in the order of the document. Else it
 * refuses as the first one did whose credential was there. Waits only where an authenticator does.
 */
export class AuthGuard implements CanActivate {
  constructor(
    readonly authenticators: readonly Authenticator[],
    /** The refusal of a request without any credential. */
    private readonly missing: () => Refusal,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    return this.#ask(0, exchangeIn(context), null);
  }

  #ask(first: number, exchange: Exchange, refused: Refusal | null): boolean | Promise<boolean> {
    let earliest = refused;
    for (let at = first; at < this.authenticators.length; at++) {
      try {
        const found = this.authenticators[at]!.authenticate(exchange);
        if (found instanceof Promise) return this.#wait(found, at + 1, exchange, earliest);
        if (found !== null) return knownAs(found, exchange);
      } catch (error) {
        earliest ??= refusalIn(error);
      }
    }
    throw earliest ?? this.missing();
  }

  async #wait(
    later: Promise<Identity | null>,
    next: number,
    exchange: Exchange,
    refused: Refusal | null,
  ): Promise<boolean> {
    let earliest = refused;
    try {
      const found = await later;
      if (found !== null) return knownAs(found, exchange);
    } catch (error) {
      earliest ??= refusalIn(error);
    }
    return this.#ask(next, exchange, earliest);
  }
}

function knownAs(identity: Identity, exchange: Exchange): true {
  exchange.identity = identity;
  return true;
}

/** A fault is no verdict: nobody is let through by another authenticator after it. */
function refusalIn(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}
