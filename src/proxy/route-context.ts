import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';

type HttpArguments = ReturnType<ExecutionContextHost['switchToHttp']>;

/**
 * Nest's context makes three functions whenever a guard asks it for the request; this one has them. `never`: it fits
 * whatever type the guard names.
 */
export class RouteContext extends ExecutionContextHost implements HttpArguments {
  override switchToHttp(): HttpArguments {
    return this;
  }

  getRequest(): never {
    return this.getArgByIndex(0);
  }

  getResponse(): never {
    return this.getArgByIndex(1);
  }

  getNext(): never {
    return this.getArgByIndex(2);
  }
}
