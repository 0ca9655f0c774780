import { describe, expect, it } from 'vitest';

import type { Log } from '../exchange/event-log.js';
import { Exchange } from '../exchange/exchange.js';
import type { Route } from '../exchange/route.js';
import { requestHead } from '../exchange/request-head.fixture.js';
import { LoggedLimitEvents } from './limit-events.js';

const HEAD = requestHead({ target: '/api/users?token=secret', remoteAddress: '127.0.0.1' });

function linesOf(exchange: Exchange): unknown[][] {
  const lines: unknown[][] = [];
  const warn = (...line: [object, string]): void => void lines.push(line);
  new LoggedLimitEvents({ warn } as Log).exceeded(exchange, 'default', 7);
  return lines;
}

describe('LoggedLimitEvents', () => {
  it('writes the documented line, without the query', () => {
    const exchange = new Exchange('1', 0, HEAD);
    exchange.clientIp = '203.0.113.7';
    exchange.path = '/api/users';
    exchange.route = { id: 'get-api-users' } as Route;
    const fields = {
      remote_ip: '203.0.113.7',
      method: 'GET',
      path: '/api/users',
      route: 'get-api-users',
      limit: 'default',
      suppressed: 7,
    };
    expect(linesOf(exchange)).toEqual([[fields, 'rate limit exceeded']]);
  });

  it('cuts what the client wrote', () => {
    const exchange = new Exchange('1', 0, HEAD);
    exchange.path = `/${'a'.repeat(5_000)}`;
    expect(linesOf(exchange)).toMatchObject([[{ path: `/${'a'.repeat(1_023)}` }, 'rate limit exceeded']]);
  });
});
