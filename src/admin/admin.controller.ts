import { Controller, Get, Inject, Param } from '@nestjs/common';

import {
  GATEWAY_CONTROL,
  type GatewayControl,
  type GatewayStatus,
  type RouteStatus,
  type UpstreamStatus,
} from '../exchange/gateway-control.js';
import { Refusal } from '../exchange/refusal.js';

/** What the control plane shows so far; changes come with the rest of the admin API. */
@Controller()
export class AdminController {
  constructor(@Inject(GATEWAY_CONTROL) private readonly control: GatewayControl) {}

  @Get('health')
  health(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('api/config/status')
  status(): Promise<GatewayStatus> {
    return this.control.status();
  }

  @Get('api/routes')
  routes(): Promise<RouteStatus[]> {
    return this.control.routes();
  }

  @Get('api/routes/:id')
  async route(@Param('id') id: string): Promise<RouteStatus> {
    const found = (await this.control.routes()).find((route) => route.id === id);
    if (!found) throw new Refusal('route_not_found', { detail: 'no route has this id' });
    return found;
  }

  @Get('api/upstreams')
  upstreams(): Promise<UpstreamStatus[]> {
    return this.control.upstreams();
  }
}
