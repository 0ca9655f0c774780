import type { Type } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';

import type { Exchange } from '../exchange/exchange.js';
import type { ExchangeContext } from '../exchange/stage.js';

type HttpArguments = ReturnType<ExecutionContextHost['switchToHttp']>;

const NONE: never[] = [];

/**
 * Nest's context makes three functions whenever a guard asks it for the request; this one has them, and the request and
 * the reply are made for those alone who ask. `never`: it fits whatever type the guard names.
 */
export class RouteContext extends ExecutionContextHost implements ExchangeContext, HttpArguments {
  constructor(
    readonly exchange: Exchange,
    constructorRef: Type,
    handler: Function,
  ) {
    super(NONE, constructorRef, handler);
  }

  override getArgs(): never {
    return [this.exchange.request, this.exchange.reply] as never;
  }

  override getArgByIndex(index: number): never {
    if (index === 0) return this.getRequest();
    return index === 1 ? this.getResponse() : this.getNext();
  }

  override switchToHttp(): HttpArguments {
    return this;
  }

  getRequest(): never {
    return this.exchange.request as never;
  }

  getResponse(): never {
    return this.exchange.reply as never;
  }

  getNext(): never {
    return undefined as never;
  }
}
