import { Controller, Get, Header, Inject, UseGuards } from '@nestjs/common';

import { AllowFromGuard } from '../exchange/allow-from.guard.js';
import { GATEWAY_CONTROL, type GatewayControl, type UpstreamStatus } from '../exchange/gateway-control.js';

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
    const { version, configVersion, ready, draining, inFlight } = await this.control.status();
    return { version, config_version: configVersion, ready, draining, in_flight: inFlight };
  }

  @Get('_gateway/upstreams')
  @UseGuards(AllowFromGuard)
  upstreams(): Promise<UpstreamStatus[]> {
    return this.control.upstreams();
  }
}

export interface GatewayHealth {
  readonly version: string;
  readonly config_version: number;
  readonly ready: boolean;
  readonly draining: boolean;
  readonly in_flight: number;
}
