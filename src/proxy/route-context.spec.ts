import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { expect, it } from 'vitest';

import { RouteContext } from './route-context.js';

it('tells guards what Nest’s own context tells them', () => {
  const args = [{ url: '/' }, { status: 200 }];
  const handler = (): void => {};
  const seen = (context: ExecutionContextHost): unknown[] => {
    const http = context.switchToHttp();
    const parts = [http.getRequest<unknown>(), http.getResponse<unknown>(), http.getNext<unknown>()];
    return [...parts, context.getArgs(), context.getType(), context.getClass(), context.getHandler()];
  };
  expect(seen(new RouteContext(args, RouteContext, handler))).toEqual(
    seen(new ExecutionContextHost(args, RouteContext, handler)),
  );
});
