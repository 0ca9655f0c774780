import { Inject, Injectable, Scope } from '@nestjs/common';
import { Logger, PARAMS_PROVIDER_TOKEN, type Params, PinoLogger } from 'nestjs-pino';
import type { Logger as Pino } from 'pino';

import { LOG } from '../exchange/event-log.js';

/** Where Nest tells of its own start: a line for each module, controller and route. */
const START_UP = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
  'WebSocketsController',
]);

/** Nest's logger: nestjs-pino's, with Nest's own start-up chatter at debug. */
@Injectable()
export class NestLogger extends Logger {
  constructor(@Inject(PinoLogger) logger: PinoLogger, @Inject(PARAMS_PROVIDER_TOKEN) params: Params) {
    super(logger, params);
  }

  override log(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    if (typeof context === 'string' && START_UP.has(context)) this.debug(message, ...rest);
    else super.log(message, ...rest);
  }

  /** A port that cannot be opened fails the start, and whoever started it says so once, with what to do. */
  override error(message: unknown, ...rest: unknown[]): void {
    if (rest.at(-1) === 'NestApplication' && String(message).startsWith('Error: listen '))
      this.debug(message, ...rest);
    else super.error(message, ...rest);
  }
}

/**
 * nestjs-pino keeps one root logger a process; two applications in one process (the tests start many) would
 * share the first one's.
 */
@Injectable({ scope: Scope.TRANSIENT })
export class ApplicationPinoLogger extends PinoLogger {
  constructor(
    @Inject(PARAMS_PROVIDER_TOKEN) params: Params,
    @Inject(LOG) private readonly own: Pino,
  ) {
    super(params);
  }

  override get logger(): Pino {
    return this.own;
  }
}
