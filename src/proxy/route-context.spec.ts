import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { expect, it } from 'vitest';

import type { Exchange } from '../exchange/exchange.js';
import { exchangeIn } from '../exchange/stage.js';
import { RouteContext } from './route-context.js';

it('tells guards what Nest’s own context tells them', () => {
  const [request, reply] = [{ url: '/' }, { status: 200 }];
  const exchange = { request, reply } as unknown as Exchange;
  const handler = (): void => {};
  const seen = (context: ExecutionContextHost): unknown[] => {
    const http = context.switchToHttp();
    const parts = [http.getRequest<unknown>(), http.getResponse<unknown>(), http.getNext<unknown>()];
    return [...parts, context.getArgs(), context.getType(), context.getClass(), context.getHandler()];
  };
  expect(seen(new RouteContext(exchange, RouteContext, handler))).toEqual(
    seen(new ExecutionContextHost([request, reply], RouteContext, handler)),
  );
});

it('has the exchange for guards that need no request', () => {
  const exchange = {} as Exchange;
  Object.defineProperty(exchange, 'request', { get: () => expect.unreachable() });
  expect(exchangeIn(new RouteContext(exchange, RouteContext, () => {}))).toBe(exchange);
});
