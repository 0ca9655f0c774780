import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { LoggingConfig } from '../config/observability.config.js';
import { Exchange, type RequestHead } from '../exchange/exchange.js';
import type { Route } from '../exchange/route.js';
import type { Backend, Upstream } from '../exchange/upstream.js';
import { requestHead } from '../exchange/request-head.fixture.js';
import { AccessLog } from './access-log.js';
import { Redaction } from './redaction.js';

const HEAD = requestHead({
  target: '/api/orders?x=1',
  remoteAddress: '127.0.0.1',
  remotePort: 51234,
  host: 'localhost',
  userAgent: 'curl/7.88.1',
});
const FIELDS = [
  'time',
  'level',
  'msg',
  'request_id',
  'method',
  'path',
  'route',
  'remote_addr',
  'remote_ip',
  'user_agent',
  'status',
  'bytes_written',
  'duration_ms',
  'upstream',
  'backend',
  'attempts',
  'cache',
  'reason',
  'trace_id',
];
const route = { id: 'get-api-orders', path: '/api/orders', upstream: { name: 'get-api-orders' } } as Route;
const backend = { upstream: 'get-api-orders', url: 'http://localhost:8082' } as Backend;
const clock = { now: () => 0, wall: () => Date.UTC(2026, 10, 29, 10, 7, 5, 115) };

function exchange(head: Partial<RequestHead> = {}, more: Partial<Exchange> = {}): Exchange {
  return Object.assign(new Exchange('01jdx', 1_000, { ...HEAD, ...head }), { endedAt: 1_003.14 }, more);
}

function lineOf(ended: Exchange): string {
  const lines: string[] = [];
  const output = { write: (line: string) => void lines.push(line) };
  new AccessLog(output, new Redaction(new LoggingConfig()), clock).ended(ended);
  expect(lines).toHaveLength(1);
  return lines[0]!;
}

function parsed(ended: Exchange): Record<string, unknown> {
  return JSON.parse(lineOf(ended)) as Record<string, unknown>;
}

describe('the line of a request', () => {
  it('is the documented one', () => {
    const answered = { route, backend, clientIp: '127.0.0.1', status: 200, bytesWritten: 42, attempts: 1 };
    expect(lineOf(exchange({}, answered))).toBe(
      '{"time":"2026-11-29T10:07:05.115Z","level":"INFO","msg":"request completed","request_id":"01jdx",' +
        '"method":"GET","path":"/api/orders?x=1","route":"get-api-orders","remote_addr":"127.0.0.1:51234",' +
        '"remote_ip":"127.0.0.1","user_agent":"curl/7.88.1","status":200,"bytes_written":42,' +
        '"duration_ms":3.14,"upstream":"get-api-orders","backend":"http://localhost:8082","attempts":1,' +
        '"cache":null,"reason":null,"trace_id":null}\n',
    );
  });

  it('of one that no route matched names no route, upstream or backend', () => {
    const line = parsed(exchange({}, { status: 404, reason: 'route_not_found' }));
    expect(line).toMatchObject({ route: null, upstream: null, backend: null, reason: 'route_not_found' });
  });

  it('of one that got no backend names the route’s upstream', () => {
    const line = parsed(exchange({}, { route, status: 503, reason: 'no_healthy_backend' }));
    expect(line).toMatchObject({ upstream: 'get-api-orders', backend: null, attempts: 0 });
  });

  it('names the upstream that was chosen over the route’s own', () => {
    const canary = { name: 'canary' } as Upstream;
    const line = parsed(exchange({}, { route, upstream: canary, status: 503, reason: 'no_healthy_backend' }));
    expect(line).toMatchObject({ upstream: 'canary', backend: null });
  });

  it('of one that the parser refused has all fields still', () => {
    const head = { method: '', target: '', remoteAddress: '', remotePort: 0, host: '', userAgent: null };
    const line = parsed(exchange(head, { status: 431, reason: 'header_too_large' }));
    expect(Object.keys(line)).toEqual(FIELDS);
    expect(line).toMatchObject({
      method: null,
      path: null,
      remote_addr: null,
      remote_ip: null,
      user_agent: null,
    });
  });

  it('puts an IPv6 peer in brackets, the client’s address without', () => {
    const line = parsed(exchange({ remoteAddress: '::1' }, { clientIp: '2001:db8::7' }));
    expect(line).toMatchObject({ remote_addr: '[::1]:51234', remote_ip: '2001:db8::7' });
  });

  it.each([
    [3.14159, 3.142],
    [0, 0],
    [-1, 0],
    [Number.NaN, 0],
    [12_345.6789, 12_345.679],
  ])('shows %d ms as %d', (duration, shown) => {
    expect(parsed(exchange({}, { endedAt: 1_000 + duration }))['duration_ms']).toBe(shown);
  });
});

describe('a hostile client (case 59)', () => {
  it('forges no line and reaches no terminal', () => {
    const head = { target: '/%0d%0aFAKE', userAgent: 'a"b\\c\u001b[31m\r\n{"level":"INFO"}\u0000' };
    const line = lineOf(exchange(head));
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(line).not.toContain('\u001b');
    expect(JSON.parse(line)).toMatchObject({ path: head.target, user_agent: head.userAgent });
  });

  it('gets its text cut at 1 KB', () => {
    const line = parsed(exchange({ userAgent: 'x'.repeat(8_192), target: `/${'y'.repeat(8_000)}` }));
    expect(line['user_agent']).toBe('x'.repeat(1_024));
    expect(line['path']).toBe(`/${'y'.repeat(1_023)}`);
  });

  it('does not get its secrets written down', () => {
    expect(parsed(exchange({ target: '/a?token=s3cret&x=1' }))['path']).toBe('/a?token=[redacted]&x=1');
  });

  it('never breaks a line, whatever it sends', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 });
    fc.assert(
      fc.property(text, text, text, (method, target, userAgent) => {
        const line = lineOf(exchange({ method, target, userAgent }));
        expect(line.indexOf('\n')).toBe(line.length - 1);
        expect(Object.keys(JSON.parse(line) as object)).toEqual(FIELDS);
      }),
    );
  });
});
