import { type ArgumentsHost, Catch, type ExceptionFilter, Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import type { FastifyReply } from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';

import { silentEvents } from '../upstream/upstream-events.fixture.js';
import { CLOCK, systemClock } from '../common/clock.js';
import { closeAtEnd } from '../../test/support/cleanup.js';
import { freePort, urlOf } from '../../test/support/ports.js';
import { LogCapture } from '../../test/support/log-capture.js';
import { GatewayConfig } from '../config/gateway.config.js';
import { HealthCheckConfig } from '../config/health-check.config.js';
import { LoggingConfig } from '../config/observability.config.js';
import { UpstreamConfig } from '../config/upstream.config.js';
import { READINESS } from '../exchange/readiness.js';
import { CURRENT_UPSTREAMS, type Upstream } from '../exchange/upstream.js';
import { LoggingModule } from '../logging/logging.module.js';
import { UpstreamRegistry } from '../upstream/upstream-registry.js';
import { HealthMonitor } from './health-monitor.js';
import { HealthModule } from './health.module.js';

/** What the application makes of all other errors. */
@Catch()
class EverythingFilter implements ExceptionFilter {
  catch(_: unknown, host: ArgumentsHost): void {
    void host.switchToHttp().getResponse<FastifyReply>().status(599).send('problem');
  }
}

const gateway = { ready: true, upstreams: new Map<string, Upstream>() };

@Global()
@Module({
  providers: [
    { provide: CURRENT_UPSTREAMS, useValue: { upstreams: () => gateway.upstreams.values() } },
    { provide: READINESS, useValue: { ready: () => gateway.ready } },
    { provide: CLOCK, useValue: systemClock },
    { provide: APP_FILTER, useClass: EverythingFilter },
  ],
  exports: [CURRENT_UPSTREAMS, READINESS, CLOCK],
})
class FakeGatewayModule {}

function documentOf(upstreams: Record<string, Partial<UpstreamConfig>>): GatewayConfig {
  const config = new GatewayConfig();
  for (const [name, written] of Object.entries(upstreams)) {
    config.upstreams[name] = Object.assign(new UpstreamConfig(), written);
  }
  return config;
}

const BACKENDS = [
  { id: 'a', url: 'http://127.0.0.1:1', weight: 1 },
  { id: 'b', url: 'http://127.0.0.1:2', weight: 1 },
];

describe('health module', () => {
  let app: NestFastifyApplication;
  let logs: LogCapture;

  beforeEach(async () => {
    logs = new LogCapture();
    gateway.ready = true;
    load(documentOf({ users: { backends: BACKENDS, critical: true }, orders: { backends: BACKENDS } }));
    const output = Object.assign(logs, { flush: async () => {} });
    const testing = await Test.createTestingModule({
      imports: [
        ScheduleModule.forRoot(),
        LoggingModule.forRoot(new LoggingConfig(), output as never),
        FakeGatewayModule,
        HealthModule,
      ],
    }).compile();
    app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
    await app.init();
    const complain = (message: unknown) => logs.write(`${String(message)}\n`);
    app.useLogger({ log() {}, warn: complain, error: complain });
    closeAtEnd(() => app.close());
  });

  function load(config: GatewayConfig): void {
    const compiled = new UpstreamRegistry(systemClock, silentEvents).compile(config);
    compiled.commit();
    gateway.upstreams = new Map(compiled.upstreams);
  }

  function takeDown(upstream: string, ...backends: string[]): void {
    for (const { id, state } of gateway.upstreams.get(upstream)!.backends)
      state.healthy = !backends.includes(id);
  }

  async function get(path: string): Promise<{ status: number; body: unknown }> {
    const answer = await app.inject({ url: path });
    expect(answer.headers['content-type']).toMatch('application/json');
    expect(answer.headers['cache-control']).toContain('no-store');
    return { status: answer.statusCode, body: answer.json() };
  }

  describe('/health', () => {
    it('reports each upstream with its healthy and total backends', async () => {
      takeDown('orders', 'b');
      const details = {
        users: { status: 'up', healthy: 2, total: 2 },
        orders: { status: 'up', healthy: 1, total: 2 },
      };
      const body = { status: 'ok', info: details, error: {}, details };
      expect(await get('/health')).toEqual({ status: 200, body });
    });

    it('is degraded, 200, while another than a critical upstream has no healthy backend', async () => {
      takeDown('orders', 'a', 'b');
      const details = {
        users: { status: 'up', healthy: 2, total: 2 },
        orders: { status: 'degraded', healthy: 0, total: 2 },
      };
      const body = { status: 'degraded', info: details, error: {}, details };
      expect(await get('/health')).toEqual({ status: 200, body });
    });

    it('is an error, 503, while a critical upstream has none, and logs nothing of it', async () => {
      takeDown('users', 'a', 'b');
      const users = { status: 'down', healthy: 0, total: 2 };
      const orders = { status: 'up', healthy: 2, total: 2 };
      const body = { status: 'error', info: { orders }, error: { users }, details: { users, orders } };
      expect(await get('/health')).toEqual({ status: 503, body });
      expect(logs.lines).toEqual([]);
    });

    it('does not count on a backend of weight 0', async () => {
      load(documentOf({ users: { backends: [{ ...BACKENDS[0]!, weight: 0 }, BACKENDS[1]!] } }));
      takeDown('users', 'b');
      const { body } = await get('/health');
      expect(body).toMatchObject({ details: { users: { status: 'degraded', healthy: 1, total: 2 } } });
    });

    it('shows no address of a backend', async () => {
      expect(JSON.stringify(await get('/health'))).not.toContain('127.0.0.1');
    });
  });

  it('/health/ready follows the gateway', async () => {
    const up = { gateway: { status: 'up' } };
    expect(await get('/health/ready')).toEqual({
      status: 200,
      body: { status: 'ok', info: up, error: {}, details: up },
    });
    gateway.ready = false;
    const down = { gateway: { status: 'down' } };
    expect(await get('/health/ready')).toEqual({
      status: 503,
      body: { status: 'error', info: {}, error: down, details: down },
    });
  });

  it('/health/live is 200 whatever else is wrong', async () => {
    gateway.ready = false;
    takeDown('users', 'a', 'b');
    const body = { status: 'ok', info: {}, error: {}, details: {} };
    expect(await get('/health/live')).toEqual({ status: 200, body });
  });

  it('writes the lines of the checker, and leaves no interval behind when the application closes', async () => {
    const url = urlOf('127.0.0.1', await freePort());
    const health_check = Object.assign(new HealthCheckConfig(), { unhealthy_threshold: 1 });
    const config = documentOf({ users: { backends: [{ id: null, url, weight: 1 }], health_check } });
    load(config);
    const monitor = app.get(HealthMonitor);
    monitor.apply(gateway.upstreams, config);
    await monitor.probeRound();
    const [started, unhealthy] = logs.all;
    expect(started).toEqual({
      time: expect.any(String),
      level: 'INFO',
      msg: 'health checker started',
      backends: 1,
      path: '/health',
      interval: '5s',
      timeout: '2s',
    });
    expect(unhealthy).toEqual({
      time: expect.any(String),
      level: 'WARN',
      msg: 'backend became unhealthy',
      backend: url,
      upstream: 'users',
      err: expect.stringContaining('ECONNREFUSED'),
    });
    const scheduler = app.get(SchedulerRegistry);
    expect(scheduler.getIntervals()).toHaveLength(1);
    await app.close();
    expect(scheduler.getIntervals()).toEqual([]);
  });
});
