import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { LoggerModule, PinoLogger } from 'nestjs-pino';
import type { Logger } from 'pino';

import { CLOCK, type Clock, systemClock } from '../common/clock.js';
import type { LoggingConfig } from '../config/observability.config.js';
import { EXCHANGE_LOG, LOG, type Log } from '../exchange/event-log.js';
import { AccessLog } from './access-log.js';
import { GatewayLog } from './gateway-log.js';
import { LogSettings } from './log-settings.js';
import { createLogger } from './logger.js';
import { ApplicationPinoLogger, NestLogger } from './nest-logger.js';
import { type LogOutput, openOutput } from './output.js';
import { Redaction } from './redaction.js';

/** Nest token of the {@link LogOutput}. */
export const LOG_OUTPUT = Symbol('LogOutput');

/** Nest token of the {@link AccessLog}, an observer of exchanges. */
export const ACCESS_LOG = Symbol('AccessLog');

/** Global: the logger, the lines with a method each, the access log. */
@Global()
@Module({})
export class LoggingModule implements OnApplicationShutdown {
  constructor(@Inject(LOG_OUTPUT) private readonly output: LogOutput) {}

  static forRoot(config: LoggingConfig, output: LogOutput = openOutput(config)): DynamicModule {
    const logger = createLogger(config, output);
    return {
      module: LoggingModule,
      imports: [nestjsPino(logger)],
      providers: [
        { provide: LOG, useValue: logger },
        { provide: LOG_OUTPUT, useValue: output },
        { provide: Redaction, useValue: new Redaction(config) },
        { provide: GatewayLog, useFactory: newGatewayLog, inject: [LOG, Redaction] },
        { provide: EXCHANGE_LOG, useExisting: GatewayLog },
        {
          provide: ACCESS_LOG,
          useFactory: (redaction: Redaction, clock: Clock = systemClock) =>
            new AccessLog(output, redaction, clock),
          inject: [Redaction, { token: CLOCK, optional: true }],
        },
        {
          provide: LogSettings,
          useFactory: (redaction: Redaction, accessLog: AccessLog) =>
            settingsFrom(config, new LogSettings(logger, redaction, accessLog)),
          inject: [Redaction, ACCESS_LOG],
        },
      ],
      exports: [LOG, LOG_OUTPUT, Redaction, GatewayLog, EXCHANGE_LOG, ACCESS_LOG, LogSettings, LoggerModule],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.output.flush();
  }
}

function newGatewayLog(log: Log, redaction: Redaction): GatewayLog {
  return new GatewayLog(log, redaction);
}

function settingsFrom(config: LoggingConfig, settings: LogSettings): LogSettings {
  settings.use(config);
  return settings;
}

/** nestjs-pino without its middleware: `forRoutes: []` mounts it nowhere, so a request pays nothing for it. */
function nestjsPino(logger: Logger): DynamicModule {
  const module = LoggerModule.forRoot({ pinoHttp: { logger, autoLogging: false }, forRoutes: [] });
  return {
    ...module,
    providers: [
      ...(module.providers ?? []),
      { provide: LOG, useValue: logger },
      { provide: PinoLogger, useClass: ApplicationPinoLogger },
      NestLogger,
    ],
    exports: [...(module.exports ?? []), NestLogger],
  };
}
