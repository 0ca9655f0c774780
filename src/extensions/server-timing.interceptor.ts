import { type CallHandler, type ExecutionContext, Inject, type NestInterceptor } from '@nestjs/common';
import { Matches } from 'class-validator';
import { type Observable, tap } from 'rxjs';

import { exchangeOf } from '../exchange/stage.js';
import type { UpstreamResponse } from '../exchange/upstream-response.js';
import { GATEWAY_OPTIONS, GatewayInterceptor } from './host/decorators.js';

export class ServerTimingOptions {
  /** Name of the metric in the header. */
  @Matches(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, { message: 'must be a token such as upstream' })
  metric = 'upstream';
}

/** Tells browsers how long the upstream took to its response head: `Server-Timing: upstream;dur=12.3`. */
@GatewayInterceptor('server-timing', { options: ServerTimingOptions })
export class ServerTimingInterceptor implements NestInterceptor<UpstreamResponse, UpstreamResponse> {
  constructor(@Inject(GATEWAY_OPTIONS) private readonly options: ServerTimingOptions) {}

  intercept(context: ExecutionContext, next: CallHandler<UpstreamResponse>): Observable<UpstreamResponse> {
    const exchange = exchangeOf(context.switchToHttp().getRequest());
    return next.handle().pipe(
      tap(({ headers }) => {
        const ms = exchange.upstreamHeadAt - exchange.upstreamStartedAt;
        headers.append('Server-Timing', `${this.options.metric};dur=${ms.toFixed(1)}`);
      }),
    );
  }
}
