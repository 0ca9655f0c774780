import { Body, Controller, Get, HttpCode, Inject, Post } from '@nestjs/common';

import { type CacheStats, GATEWAY_CONTROL, type GatewayControl } from '../exchange/gateway-control.js';
import { CacheClearBody } from './cache-clear.body.js';
import { nothingNamed } from './nothing-named.js';
import { validBody } from './valid-body.js';

/** What is cached, and the way to clear it. */
@Controller('api/cache')
export class CacheController {
  constructor(@Inject(GATEWAY_CONTROL) private readonly control: GatewayControl) {}

  @Get('stats')
  stats(): Promise<CacheStats> {
    return this.control.cacheStats();
  }

  @Post('clear')
  @HttpCode(200)
  async clear(
    @Body(validBody(CacheClearBody)) { route, path }: CacheClearBody,
  ): Promise<{ cleared: number }> {
    const result = await this.control.clearCache({
      ...(route !== undefined && { route }),
      ...(path !== undefined && { path }),
    });
    if ('cleared' in result) return { cleared: result.cleared };
    throw nothingNamed('route', result.known);
  }
}
