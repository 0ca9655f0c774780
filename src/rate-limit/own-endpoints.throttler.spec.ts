import { Controller, Get, Global, HttpException, Module, UseGuards } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { CLOCK } from '../common/clock.js';
import { Refusal } from '../exchange/refusal.js';
import { OwnEndpointsGuard, OwnEndpointsThrottlerModule } from './own-endpoints.throttler.js';

const clock = { time: 1_000, now: () => clock.time, wall: () => clock.time };
const thrown: unknown[] = [];

@Global()
@Module({ providers: [{ provide: CLOCK, useValue: clock }], exports: [CLOCK] })
class ClockModule {}

@Controller()
@UseGuards(OwnEndpointsGuard)
class OwnEndpoints {
  @Get('one')
  one(): string {
    return '1';
  }

  @Get('two')
  two(): string {
    return '2';
  }
}

describe('OwnEndpointsGuard', () => {
  let app: NestFastifyApplication;

  beforeEach(async () => {
    const module = await Test.createTestingModule({
      imports: [ClockModule, OwnEndpointsThrottlerModule],
      controllers: [OwnEndpoints],
    }).compile();
    app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
    app.useGlobalFilters({
      catch: (error: HttpException, host) => {
        thrown.push(error);
        void host.switchToHttp().getResponse().code(error.getStatus()).send('no');
      },
    });
    await app.init();
  });

  afterEach(async () => {
    thrown.length = 0;
    await app.close();
  });

  async function statuses(times: number, url: string, remoteAddress = '192.0.2.1'): Promise<Set<number>> {
    const headers = { 'x-forwarded-for': `203.0.113.${times}` };
    const seen = new Set<number>();
    for (let i = 0; i < times; i++) seen.add((await app.inject({ url, remoteAddress, headers })).statusCode);
    return seen;
  }

  it('lets a peer send 600 a minute to all of them together, whatever it says it forwards', async () => {
    expect(await statuses(300, '/one')).toEqual(new Set([200]));
    expect(await statuses(300, '/two')).toEqual(new Set([200]));
    expect(await statuses(2, '/one')).toEqual(new Set([429]));
    expect(await statuses(1, '/one', '192.0.2.2')).toEqual(new Set([200]));
    clock.time += 100;
    expect(await statuses(1, '/one')).toEqual(new Set([200]));
  });

  it('throws the refusal of a limited route', async () => {
    await statuses(601, '/one');
    expect(thrown).toHaveLength(1);
    expect(thrown[0]).toBeInstanceOf(Refusal);
    expect(thrown[0]).toMatchObject({ headers: { 'Retry-After': '1' }, members: { retry_after: 1 } });
  });
});
