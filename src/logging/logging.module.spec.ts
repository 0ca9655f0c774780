import { Controller, Get, Inject, Logger as StaticLogger, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { PinoLogger } from 'nestjs-pino';
import { afterEach, describe, expect, it } from 'vitest';

import { LoggingConfig } from '../config/observability.config.js';
import { Exchange } from '../exchange/exchange.js';
import { requestHead } from '../exchange/request-head.fixture.js';
import type { AccessLog } from './access-log.js';
import { GatewayLog } from './gateway-log.js';
import { LogSettings } from './log-settings.js';
import { ACCESS_LOG, LoggingModule } from './logging.module.js';
import { NestLogger } from './nest-logger.js';
import type { LogOutput } from './output.js';
import { Redaction } from './redaction.js';

class Lines implements LogOutput {
  readonly written: string[] = [];
  flushes = 0;

  write(line: string): void {
    this.written.push(line);
  }

  async flush(): Promise<void> {
    this.flushes += 1;
  }

  flushSync(): void {}

  get parsed(): Record<string, unknown>[] {
    return this.written.map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}

@Controller()
class HelloController {
  constructor(@Inject(PinoLogger) private readonly logger: PinoLogger) {}

  @Get('/hello')
  hello(): string {
    this.logger.info({ msg: 'said hello', to: 'you' });
    return 'hello';
  }
}

function rootModule(config: LoggingConfig, output: LogOutput): Type {
  @Module({ imports: [LoggingModule.forRoot(config, output)], controllers: [HelloController] })
  class RootModule {}
  return RootModule;
}

function exchange(): Exchange {
  const client = { remoteAddress: '127.0.0.1', remotePort: 1, userAgent: null };
  return new Exchange('id', 0, requestHead({ host: '', ...client }));
}

const running: NestFastifyApplication[] = [];

async function start(change: Partial<LoggingConfig> = {}) {
  const output = new Lines();
  const config = Object.assign(new LoggingConfig(), change);
  const adapter = new FastifyAdapter({ skipMiddie: true });
  const app = await NestFactory.create<NestFastifyApplication>(rootModule(config, output), adapter, {
    bufferLogs: true,
  });
  app.useLogger(app.get(NestLogger));
  await app.init();
  running.push(app);
  return { app, output };
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((app) => app.close()));
});

describe('LoggingModule', () => {
  it('keeps Nest’s start-up chatter at debug', async () => {
    const quiet = await start();
    expect(quiet.output.written).toEqual([]);
    const chatty = await start({ level: 'debug' });
    expect(chatty.output.parsed.length).toBeGreaterThan(3);
    expect(new Set(chatty.output.parsed.map((line) => line['level']))).toEqual(new Set(['DEBUG']));
  });

  it('mounts nothing on requests, so that one costs and logs nothing', async () => {
    const { app, output } = await start({ level: 'trace' });
    const before = output.written.length;
    // `skipMiddie` leaves the adapter without middleware: mounting one would have failed the start.
    const answer = await app.inject({ url: '/hello' });
    expect(answer.body).toBe('hello');
    expect(output.parsed.slice(before).map((line) => line['msg'])).toEqual(['said hello']);
  });

  it('gives each application of a process its own logger', async () => {
    const first = await start();
    const second = await start();
    await second.app.inject({ url: '/hello' });
    second.app.get(GatewayLog).serverListening('127.0.0.1:1');
    expect(first.output.written).toEqual([]);
    expect(second.output.parsed).toMatchObject([
      { level: 'INFO', msg: 'said hello', to: 'you' },
      { level: 'INFO', msg: 'server listening' },
    ]);
  });

  it('lets what a team logs through Nest pass at its own level', async () => {
    const { output } = await start();
    new StaticLogger('Tenants').log('loaded');
    expect(output.parsed).toMatchObject([{ level: 'INFO', msg: 'loaded', context: 'Tenants' }]);
  });

  it.each([
    [{}, true],
    [{ access_log: false }, false],
    [{ level: 'warn' } as const, false],
  ])('with %j writes an access log: %s, and changes that as told', async (change, on) => {
    const { app, output } = await start(change);
    const lines = () => {
      const before = output.written.length;
      app.get<AccessLog>(ACCESS_LOG).ended(exchange());
      return output.written.length - before;
    };
    expect(lines()).toBe(on ? 1 : 0);
    app.get(LogSettings).use(Object.assign(new LoggingConfig(), { access_log: !on }));
    expect(lines()).toBe(on ? 0 : 1);
  });

  it('changes level and redaction as told', async () => {
    const { app, output } = await start({ level: 'error' });
    app.get(GatewayLog).serverListening('127.0.0.1:1');
    expect(output.written).toEqual([]);
    const changed = { level: 'info', redact_query: ['pin'], redact_headers: ['x-pin'] } as const;
    app.get(LogSettings).use(Object.assign(new LoggingConfig(), changed));
    app.get(GatewayLog).serverListening('127.0.0.1:1');
    expect(output.parsed).toMatchObject([{ msg: 'server listening' }]);
    const redaction = app.get(Redaction);
    expect(redaction.redactTarget('/?pin=1&token=2')).toBe('/?pin=[redacted]&token=2');
    expect(redaction.redactHeaders(['X-Pin', '1', 'Cookie', '2'])).toEqual({
      'x-pin': '[redacted]',
      cookie: '2',
    });
  });

  it('flushes when the application stops', async () => {
    const { app, output } = await start();
    await app.close();
    expect(output.flushes).toBe(1);
  });
});
