import { describe, expect, it } from 'vitest';

import { LoggingConfig } from '../config/observability.config.js';
import { RouteConfig } from '../config/route.config.js';
import { Exchange } from '../exchange/exchange.js';
import type { Route } from '../exchange/route.js';
import type { Backend, Upstream } from '../exchange/upstream.js';
import { requestHead } from '../exchange/request-head.fixture.js';
import { GatewayLog } from './gateway-log.js';
import { createLogger } from './logger.js';
import { Redaction } from './redaction.js';

const HEAD = '{"time":"2026-11-29T10:00:00.001Z","level":';
const backend = { url: 'http://localhost:8081', upstream: 'users' } as Backend;

function setUp(level: LoggingConfig['level'] = 'info') {
  const lines: string[] = [];
  const clock = { now: () => 0, wall: () => Date.UTC(2026, 10, 29, 10, 0, 0, 1) };
  const config = Object.assign(new LoggingConfig(), { level });
  const logger = createLogger(config, { write: (line) => void lines.push(line) }, clock);
  const log = new GatewayLog(logger, new Redaction(config));
  const parsed = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { lines, parsed, log };
}

function routeOf(config: Partial<RouteConfig>): Route {
  const full = Object.assign(new RouteConfig(), { id: 'get-post-api-users', path: '/api/users' }, config);
  const upstream = { name: 'users', backends: [backend] } as unknown as Upstream;
  return { id: full.id, path: full.path, config: full, upstream } as Route;
}

function failedExchange(target: string): Exchange {
  const head = requestHead({ target, remoteAddress: '127.0.0.1', host: 'h' });
  const route = routeOf({ id: 'users' });
  return Object.assign(new Exchange('01jdx', 0, head), { backend, route, attempts: 2 });
}

describe('the lines of the gateway', () => {
  it('shows a route as documented', () => {
    const { lines, log } = setUp();
    log.routeRegistered(
      routeOf({ methods: ['GET', 'POST'], rate_limit: [{ requests: 100, per: '1m' }] as never }),
    );
    expect(lines).toEqual([
      `${HEAD}"INFO","msg":"route registered","id":"get-post-api-users","path":"/api/users",` +
        '"methods":["GET","POST"],"backends":1,"rate_limit":true,"timeout":true}\n',
    ]);
  });

  it('names each other policy of a route that is on', () => {
    const { parsed, log } = setUp();
    log.routeRegistered(
      routeOf({ strip_prefix: true, auth: 'jwt', guards: [{ name: 'tenant', options: { key: 's3cret' } }] }),
    );
    expect(parsed()).toEqual([
      {
        ...parsed()[0],
        methods: ['*'],
        rate_limit: false,
        strip_prefix: true,
        auth: 'jwt',
        guards: ['tenant'],
      },
    ]);
  });

  it('follows the life of the process', () => {
    const { lines, log } = setUp();
    log.configLoaded({ file: 'gateway.yml', version: 1, routes: 2, upstreams: 2 });
    log.serverListening('0.0.0.0:8080');
    log.configReloaded({ version: 2, added: ['a'], changed: [], removed: ['b'], document: ['cache'] });
    log.configReloadFailed(2, ['gateway.yml:1:1 port: what']);
    log.shutdownStarted('SIGTERM', 3);
    log.shutdownComplete({ drained: 2, cut: 1, duration_ms: 10_000 });
    expect(lines.map((line) => line.slice(HEAD.length, -1))).toEqual([
      '"INFO","msg":"config loaded","file":"gateway.yml","version":1,"routes":2,"upstreams":2}',
      '"INFO","msg":"server listening","addr":"0.0.0.0:8080"}',
      '"INFO","msg":"config reloaded","version":2,"added":["a"],"changed":[],"removed":["b"],"document":["cache"]}',
      '"ERROR","msg":"config reload failed","version":2,"errors":["gateway.yml:1:1 port: what"]}',
      '"INFO","msg":"shutdown started","signal":"SIGTERM","in_flight":3}',
      '"INFO","msg":"shutdown complete","drained":2,"cut":1,"duration_ms":10000}',
    ]);
  });
});

describe('the lines about an exchange', () => {
  it('tells of a failed attempt, without secrets', () => {
    const { lines, log } = setUp();
    const exchange = failedExchange('/api/users?token=s3cret');
    log.upstreamRequestFailed(exchange, new Error('connect ECONNREFUSED'), 'upstream_unavailable');
    expect(lines).toEqual([
      `${HEAD}"ERROR","msg":"upstream request failed","backend":"http://localhost:8081","method":"GET",` +
        '"path":"/api/users?token=[redacted]","route":"users","attempt":2,"reason":"upstream_unavailable",' +
        '"err":"connect ECONNREFUSED","request_id":"01jdx"}\n',
    ]);
  });

  it('says something of an error without a message', () => {
    const { parsed, log } = setUp();
    const exchange = failedExchange('/');
    log.upstreamRequestFailed(exchange, Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }));
    log.upstreamRequestFailed(exchange, new AggregateError([]));
    expect(parsed().map((line) => line['err'])).toEqual(['ECONNREFUSED', 'AggregateError']);
  });

  it('shows a fault with its stack, with and without an exchange, error or not', () => {
    const { parsed, log } = setUp();
    log.internalError(failedExchange('/a'), new TypeError('broken'));
    log.internalError(null, 'thrown text');
    const [fault, text] = parsed();
    expect(fault).toMatchObject({ level: 'ERROR', msg: 'internal error', request_id: '01jdx', path: '/a' });
    expect(fault!['err']).toBe('broken');
    expect(fault!['stack']).toMatch(/^TypeError: broken\n +at /);
    expect(text).toEqual({
      time: fault!['time'],
      level: 'ERROR',
      msg: 'internal error',
      err: 'thrown text',
      stack: null,
    });
  });

  it('shows the headers of a request that failed at debug, secrets replaced, and reads none of them else', () => {
    const exchange = failedExchange('/a');
    const rawHeaders = ['Authorization', 'Bearer s3cret', 'X-A', '1', 'x-a', '2'];
    Object.assign(exchange.head, { rawHeaders });
    const { parsed, log } = setUp('debug');
    log.upstreamRequestFailed(exchange, new Error('no'));
    log.internalError(exchange, new Error('no'));
    log.internalError(null, new Error('no'));
    const shown = parsed().filter((line) => line['msg'] === 'request headers');
    expect(shown).toHaveLength(2);
    expect(shown[0]).toMatchObject({
      level: 'DEBUG',
      request_id: '01jdx',
      headers: { authorization: '[redacted]', 'x-a': '1, 2' },
    });

    const quiet = setUp();
    Object.defineProperty(exchange.head, 'rawHeaders', {
      get: () => {
        throw new Error('read');
      },
    });
    quiet.log.upstreamRequestFailed(exchange, new Error('no'));
    expect(quiet.parsed().map((line) => line['msg'])).toEqual(['upstream request failed']);
  });
});
