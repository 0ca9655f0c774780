import { Logger as NestPinoLogger } from 'nestjs-pino';
import { describe, expect, it } from 'vitest';

import { LoggingConfig } from '../config/observability.config.js';
import { createLogger } from './logger.js';

const clock = { now: () => 0, wall: () => Date.UTC(2026, 10, 29, 10, 0, 0, 1) };
const HEAD = '{"time":"2026-11-29T10:00:00.001Z"';

function setUp(level: LoggingConfig['level'] = 'trace') {
  const lines: string[] = [];
  const config = Object.assign(new LoggingConfig(), { level });
  const logger = createLogger(config, { write: (line) => void lines.push(line) }, clock);
  return { lines, logger };
}

describe('a line', () => {
  it('begins with time, level and message, then the fields', () => {
    const { lines, logger } = setUp();
    logger.info({ addr: '0.0.0.0:8080' }, 'server listening');
    expect(lines).toEqual([`${HEAD},"level":"INFO","msg":"server listening","addr":"0.0.0.0:8080"}\n`]);
  });

  it.each([
    ['trace', 'TRACE'],
    ['debug', 'DEBUG'],
    ['info', 'INFO'],
    ['warn', 'WARN'],
    ['error', 'ERROR'],
    ['fatal', 'FATAL'],
  ] as const)('shows level %s as %s', (level, shown) => {
    const { lines, logger } = setUp();
    logger[level]({}, 'm');
    expect(lines).toEqual([`${HEAD},"level":"${shown}","msg":"m"}\n`]);
  });

  it('has the same order however pino is called', () => {
    const { lines, logger } = setUp();
    logger.info('text alone');
    logger.info('text with %s', 'a value');
    logger.info({ a: 1, msg: 'message among the fields' });
    logger.info({ a: 1, level: 'x', time: 'y', msg: 'z' }, 'message beside them');
    logger.info({ a: 1 });
    logger.child({ room: 'proxy' }).info({ a: 1 }, 'child');
    expect(lines.map((line) => line.slice(HEAD.length + 1, -1))).toEqual([
      '"level":"INFO","msg":"text alone"}',
      '"level":"INFO","msg":"text with a value"}',
      '"level":"INFO","msg":"message among the fields","a":1}',
      '"level":"INFO","msg":"message beside them","a":1}',
      '"level":"INFO","msg":"","a":1}',
      '"level":"INFO","msg":"child","room":"proxy","a":1}',
    ]);
  });

  it('shows an error with type, message and stack', () => {
    const { lines, logger } = setUp();
    logger.error(new TypeError('broken'));
    logger.error({ err: new TypeError('broken') }, 'told');
    const [alone, told] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(alone).toMatchObject({ msg: 'broken', err: { type: 'TypeError', message: 'broken' } });
    expect(told).toMatchObject({ msg: 'told', err: { type: 'TypeError', message: 'broken' } });
    expect(Object.keys(told!)).toEqual(['time', 'level', 'msg', 'err']);
  });

  it('of Nest’s logger has the same order', () => {
    const { lines, logger } = setUp();
    // nestjs-pino hands a PinoLogger on; its calls are pino's.
    const nest = new NestPinoLogger(logger as never, {});
    nest.log('started', 'Context');
    nest.warn({ a: 1 }, 'Context');
    nest.error(new Error('broken'), 'Context');
    expect(lines.map((line) => Object.keys(JSON.parse(line) as object).slice(0, 4))).toEqual([
      ['time', 'level', 'msg', 'context'],
      ['time', 'level', 'msg', 'context'],
      ['time', 'level', 'msg', 'context'],
    ]);
    expect(lines[0]).toContain('"msg":"started"');
    expect(lines[2]).toContain('"msg":"broken"');
  });
});

describe('the level', () => {
  it('silences what is below it', () => {
    const { lines, logger } = setUp('warn');
    logger.info({}, 'no');
    logger.warn({}, 'yes');
    expect(lines).toHaveLength(1);
  });
});
