import { Body, Controller, Get, Inject, Param, Put } from '@nestjs/common';

import {
  type BackendStatus,
  GATEWAY_CONTROL,
  type GatewayControl,
  type GatewayStatus,
  type RouteStatus,
  type UpstreamStatus,
} from '../exchange/gateway-control.js';
import { BackendStateBody } from './backend-state.body.js';
import { nothingNamed } from './nothing-named.js';
import { validBody } from './valid-body.js';

/** What the control plane shows and changes. */
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
    const routes = await this.control.routes();
    const found = routes.find((route) => route.id === id);
    if (found) return found;
    throw nothingNamed(
      'route',
      routes.map((route) => route.id),
    );
  }

  @Get('api/upstreams')
  upstreams(): Promise<UpstreamStatus[]> {
    return this.control.upstreams();
  }

  @Put('api/upstreams/:name/backends/:id')
  async setBackendState(
    @Param('name') upstream: string,
    @Param('id') backend: string,
    @Body(validBody(BackendStateBody)) { state }: BackendStateBody,
  ): Promise<BackendStatus> {
    const changed = await this.control.setBackendState({ upstream, backend, state });
    if ('backend' in changed) return changed.backend;
    throw nothingNamed(changed.unknown, changed.known);
  }
}
