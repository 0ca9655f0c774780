import { Controller, Get, Header, Inject, UseGuards } from '@nestjs/common';

import { AllowFromGuard } from '../exchange/allow-from.guard.js';
import {
  GATEWAY_CONTROL,
  type GatewayControl,
  type GatewayStatus,
  type UpstreamStatus,
} from '../exchange/gateway-control.js';

/** What the data port says of the gateway itself. `/` gives way to a route that takes it. */
@Controller()
export class StatusController {
  constructor(@Inject(GATEWAY_CONTROL) private readonly control: GatewayControl) {}

  @Get()
  @Header('Content-Type', 'text/plain; charset=utf-8')
  landing(): string {
    return 'Gateway is running...';
  }

  @Get('_gateway/health')
  @UseGuards(AllowFromGuard)
  async health(): Promise<GatewayHealth> {
    const { file: _file, ...health } = await this.control.status();
    return health;
  }

  @Get('_gateway/upstreams')
  @UseGuards(AllowFromGuard)
  upstreams(): Promise<UpstreamStatus[]> {
    return this.control.upstreams();
  }
}

/** The status without the place of the document, which is nobody's business on the data port. */
export type GatewayHealth = Omit<GatewayStatus, 'file'>;
