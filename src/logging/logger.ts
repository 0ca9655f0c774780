import { inspect } from 'node:util';

import { type DestinationStream, type Logger, pino, symbols } from 'pino';

import { type Clock, systemClock } from '../common/clock.js';
import type { LoggingConfig } from '../config/observability.config.js';
import { IsoTime, levelName } from './line.js';
import { openOutput } from './output.js';

type Fields = Record<string, unknown>;
type AsJson = (this: unknown, fields: Fields, msg: unknown, level: number, time: string) => string;

/**
 * The one logger: JSON lines that begin `{"time":…,"level":"INFO","msg":…`, whoever writes them (Nest and
 * child loggers too).
 */
export function createLogger(
  config: LoggingConfig,
  destination: DestinationStream = openOutput(config),
  clock: Clock = systemClock,
): Logger {
  const iso = new IsoTime();
  const logger = pino(
    {
      level: config.level,
      base: null,
      timestamp: () => `"time":"${iso.format(clock.wall())}"`,
      // pino would begin a line with the level; `headFirst` writes it after the time.
      formatters: { level: () => ({}) },
    },
    destination,
  );
  headFirst(logger);
  return logger;
}

/**
 * pino puts `msg` last. Its documented way to change a line's shape is to override the method behind
 * `pino.symbols.asJsonSym`: whatever is handed on as the time is written first.
 */
function headFirst(logger: Logger): void {
  const methods = logger as unknown as Record<symbol, AsJson>;
  const asJson = methods[symbols.asJsonSym];
  if (!asJson) throw new Error('pino has no asJson method any more: adapt src/logging/logger.ts to it');
  methods[symbols.asJsonSym] = function (fields, msg, level, time) {
    const message = msg ?? fields['msg'] ?? '';
    const text = JSON.stringify(typeof message === 'string' ? message : inspect(message));
    const head = `${time},"level":"${levelName(level)}","msg":${text}`;
    return asJson.call(this, withoutHead(fields), undefined, level, head);
  };
}

/** A line never has one of its first three keys twice. */
function withoutHead(fields: Fields): Fields {
  if (fields['msg'] === undefined && fields['time'] === undefined && fields['level'] === undefined) {
    return fields;
  }
  const { msg: _msg, time: _time, level: _level, ...rest } = fields;
  return rest;
}
