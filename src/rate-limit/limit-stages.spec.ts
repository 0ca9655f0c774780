import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { beforeEach, describe, expect, it } from 'vitest';

import { RedisConfig } from '../config/observability.config.js';
import { RateLimitConfig } from '../config/rate-limit.config.js';
import { GatewayConfig } from '../config/gateway.config.js';
import { RouteConfig } from '../config/route.config.js';
import { UpstreamConfig } from '../config/upstream.config.js';
import { Exchange } from '../exchange/exchange.js';
import type { Identity } from '../exchange/identity.js';
import type { RedisArgument, RedisConnection } from '../exchange/redis.js';
import { Refusal } from '../exchange/refusal.js';
import type { ResponseSink } from '../exchange/response.js';
import type { Upstream } from '../exchange/upstream.js';
import { requestHead } from '../exchange/request-head.fixture.js';
import { ExceededReports } from './exceeded-reports.js';
import { IdentityLimitGuardFactory } from './identity-limit.guard-factory.js';
import { LimitCompiler } from './limit-compiler.js';
import { LimitJudge } from './limit-judge.js';
import { LimitedCounters } from './limited-counts.js';
import { LimiterRegistry } from './limiter.registry.js';
import { RateLimitGuardFactory } from './rate-limit.guard-factory.js';
import { MemoryStores } from './stores/memory.stores.js';
import { RedisLimitStores } from './stores/redis.stores.js';
import { UpstreamLimitStage } from './upstream-limit.stage.js';

const HEAD = requestHead({ target: '/a' });

/** Answers each script as the test says; counts the calls. */
class FakeRedis implements RedisConnection {
  available = true;
  readonly opened = Promise.resolve();
  readonly prefix = 'nexus:';
  readonly calls: { keys: readonly string[]; args: readonly RedisArgument[] }[] = [];
  /** What each key of a call is answered: allowed, remaining, reset, retry, stamp. */
  answer: (key: string) => string | Promise<string> = () => '1 4 1000 0 0';
  #changed: (down: Error | null) => void = () => {};

  command(): Promise<unknown> {
    return Promise.reject(new Error('not used'));
  }

  async script(_: unknown, keys: readonly string[], args: readonly RedisArgument[]): Promise<unknown> {
    this.calls.push({ keys, args });
    return Buffer.from((await Promise.all(keys.map(async (key) => this.answer(key)))).join(';'));
  }

  watch(changed: (down: Error | null) => void): void {
    this.#changed = changed;
  }

  goDown(): void {
    this.available = false;
    this.#changed(new Error('gone'));
  }
}

class Bench {
  now = 1_000_000;
  readonly clock = { now: () => this.now, wall: () => this.now };
  readonly redis = new FakeRedis();
  readonly lines: string[] = [];
  readonly log = {
    debug: () => {},
    info: (_: object, message: string) => this.lines.push(message),
    warn: (_: object, message: string) => this.lines.push(message),
    error: () => {},
  };
  readonly counters = new LimitedCounters();
  readonly stores = new RedisLimitStores(
    { for: () => this.redis, opened: () => Promise.resolve() },
    this.log,
  );
  readonly compiler = new LimitCompiler(
    new LimiterRegistry(new MemoryStores(this.clock)),
    this.counters,
    this.stores,
    this.clock,
  );
  readonly judge = new LimitJudge(
    new ExceededReports({ exceeded: (_, limit) => this.lines.push(limit) }),
    this.clock,
  );
  sent = 0;

  /** The path of one route: both guards, then the upstream's stage. Null = it was sent. */
  path(route: RouteConfig, document: GatewayConfig): (exchange: Exchange) => Promise<Refusal | null> {
    const guards = [
      new RateLimitGuardFactory(this.compiler, this.judge).guardFor(route, document),
      new IdentityLimitGuardFactory(this.compiler, this.judge).guardFor(route, document),
    ].filter((guard) => guard !== undefined);
    return async (exchange) => {
      const context = new ExecutionContextHost([{ exchange }, {}]);
      try {
        // oxlint-disable-next-line no-await-in-loop -- one after the other, as on the path.
        for (const guard of guards) await guard.canActivate(context);
        return await this.#forward(route, document, exchange);
      } catch (error) {
        if (error instanceof Refusal) return error;
        throw error;
      }
    };
  }

  #forward(route: RouteConfig, document: GatewayConfig, exchange: Exchange): Promise<Refusal | null> {
    const log = { internalError: () => {}, upstreamRequestFailed: () => {} };
    return new Promise((resolve) => {
      const next = { forward: () => (this.sent++, resolve(null)) };
      const stage = new UpstreamLimitStage(this.compiler, this.judge, log);
      const sink = { refuse: resolve } as Partial<ResponseSink> as ResponseSink;
      (stage.wrap(route, document, next) ?? next).forward(exchange, sink);
    });
  }
}

function limitOf(requests: number, more: Partial<RateLimitConfig> = {}): RateLimitConfig {
  return Object.assign(new RateLimitConfig(), { requests, per: '1m' }, more);
}

interface Limits {
  own?: RateLimitConfig[];
  global?: RateLimitConfig;
  user?: RateLimitConfig;
  upstream?: RateLimitConfig;
  keys?: Record<string, RateLimitConfig | null>;
}

function documentOf({ own = [], global, user, upstream, keys = {} }: Limits) {
  const route = Object.assign(new RouteConfig(), {
    id: 'a',
    path: '/a',
    upstream: 'up',
    auth: ['jwt', 'api_key'],
    rate_limit: own,
  });
  const api_keys = {
    keys: Object.entries(keys).map(([id, rate_limit]) => ({ id, rate_limit })),
  };
  const document = Object.assign(new GatewayConfig(), {
    routes: [route],
    upstreams: { up: Object.assign(new UpstreamConfig(), { rate_limit: upstream ?? null }) },
    rate_limit_global: global ?? null,
    rate_limit_per_user: user ?? null,
    redis: Object.assign(new RedisConfig(), { url: 'redis://127.0.0.1' }),
    auth: { default: 'none', jwt: null, api_keys },
  });
  return { route, document };
}

let id = 0;
let bench: Bench;
beforeEach(() => void (bench = new Bench()));

function exchangeOf(
  user: string | null = 'u1',
  kind: Identity['kind'] = 'jwt',
  clientIp = '192.0.2.1',
): Exchange {
  const exchange = new Exchange(`${id++}`, bench.now, HEAD);
  exchange.clientIp = clientIp;
  exchange.identity = user === null ? null : { kind, id: user, roles: [], claims: {} };
  exchange.upstream = { name: 'up' } as Upstream;
  return exchange;
}

function header(exchange: Exchange, name: string): string | undefined {
  const at = exchange.responseHeaders.indexOf(name);
  return at < 0 ? undefined : exchange.responseHeaders[at + 1];
}

function pathOf(limits: Limits) {
  const { route, document } = documentOf(limits);
  return bench.path(route, document);
}

const BY_USER = { by: 'user' };
const BY_ROUTE = { by: 'route' };
const IN_REDIS = { store: 'redis' as const };

describe('limits in three stages', () => {
  it('are told in one pair of fields, in the order of the path', async () => {
    const send = pathOf({
      own: [limitOf(10), limitOf(20, BY_USER)],
      global: limitOf(1_000, BY_ROUTE),
      user: limitOf(50, BY_USER),
      upstream: limitOf(500, BY_ROUTE),
    });
    const exchange = exchangeOf();
    expect(await send(exchange)).toBeNull();
    expect(exchange.responseHeaders).toHaveLength(4);
    expect(header(exchange, 'RateLimit-Policy')).toBe(
      '"default";q=10;w=60, "global";q=1000;w=60, "default-2";q=20;w=60, "user";q=50;w=60, "upstream";q=500;w=60',
    );
    expect(header(exchange, 'RateLimit')).toBe(
      '"default";r=9;t=6, "global";r=999;t=1, "default-2";r=19;t=3, "user";r=49;t=2, "upstream";r=499;t=1',
    );
  });

  it.each([
    ['identity', { own: [limitOf(10)], user: limitOf(1, BY_USER) }, 'user'],
    [
      'upstream',
      { own: [limitOf(10)], user: limitOf(10, BY_USER), upstream: limitOf(1, BY_ROUTE) },
      'upstream',
    ],
  ])('the %s stage gives back what the earlier ones took', async (_, limits, name) => {
    const send = pathOf(limits);
    expect(await send(exchangeOf())).toBeNull();
    for (let i = 0; i < 20; i++) {
      const exchange = exchangeOf();
      expect(await send(exchange)).toMatchObject({
        reason: 'rate_limited',
        headers: { 'Retry-After': '60' },
      });
      expect(header(exchange, 'RateLimit')).toContain('"default";r=9;');
      expect(header(exchange, 'RateLimit')).toContain(`"${name}";r=0;t=60`);
    }
    expect(bench.sent).toBe(1);
    expect(bench.lines).toEqual([name]);
    expect([...bench.counters.limitedCounts()].find(({ limit }) => limit === name)?.count).toBe(20);
  });

  it('leave alone who has no identity, and tell nothing of limits that do not concern the request', async () => {
    const send = pathOf({ own: [limitOf(10)], user: limitOf(1, BY_USER) });
    for (let i = 0; i < 5; i++) {
      const exchange = exchangeOf(null);
      expect(await send(exchange)).toBeNull();
      expect(header(exchange, 'RateLimit-Policy')).toBe('"default";q=10;w=60');
    }
  });

  it('give each user a bucket over all routes, whatever its address', async () => {
    const { route, document } = documentOf({ user: limitOf(2, BY_USER) });
    const other = Object.assign(new RouteConfig(), route, { id: 'b', path: '/b' });
    const [a, b] = [bench.path(route, document), bench.path(other, document)];
    const answers = [
      await a(exchangeOf('u1', 'jwt', '192.0.2.1')),
      await b(exchangeOf('u1', 'jwt', '192.0.2.2')),
      await a(exchangeOf('u1', 'jwt', '192.0.2.3')),
      await b(exchangeOf('u2', 'jwt', '192.0.2.3')),
    ];
    expect(answers.map((answer) => answer?.reason ?? 'passed')).toEqual([
      'passed',
      'passed',
      'rate_limited',
      'passed',
    ]);
  });

  it('give an API key its own limit beside those for all', async () => {
    const send = pathOf({
      user: limitOf(3, BY_USER),
      keys: { small: limitOf(1, { by: 'api_key' }), free: null },
    });
    const count = async (user: string, kind: Identity['kind'] = 'api_key') => {
      let passed = 0;
      for (let i = 0; i < 5; i++) if ((await send(exchangeOf(user, kind))) === null) passed++;
      return passed;
    };
    expect([await count('small'), await count('free'), await count('small', 'jwt')]).toEqual([1, 3, 3]);
  });

  it('refuse with the upstream’s limit for all routes that share it', async () => {
    const { route, document } = documentOf({ upstream: limitOf(2, BY_ROUTE) });
    const other = Object.assign(new RouteConfig(), route, { id: 'b', path: '/b' });
    const [a, b] = [bench.path(route, document), bench.path(other, document)];
    expect(
      [await a(exchangeOf()), await b(exchangeOf()), await a(exchangeOf())].map((each) => each?.reason),
    ).toEqual([undefined, undefined, 'rate_limited']);
  });
});

describe('limits in Redis', () => {
  it('of single keys open their store with the document, not with the first request', () => {
    pathOf({ keys: { small: limitOf(1, { ...IN_REDIS, by: 'api_key' }) } });
    expect(bench.stores.limitStoreUp()).toBe(true);
  });

  it('are one call for each stage, with the keys that a fleet shares', async () => {
    const send = pathOf({
      own: [
        limitOf(10, IN_REDIS),
        limitOf(9, { ...IN_REDIS, by: 'route', algorithm: 'sliding_window' }),
        limitOf(5),
      ],
      user: limitOf(50, { ...IN_REDIS, by: 'user' }),
    });
    const exchange = exchangeOf();
    expect(await send(exchange)).toBeNull();
    expect(bench.redis.calls.map(({ keys }) => keys)).toEqual([
      [
        'nexus:{limits}:a#0:ip:token_bucket:10:60000:10:192.0.2.1',
        'nexus:{limits}:a#1:route:sliding_window:9:60000:9:',
      ],
      ['nexus:{limits}:#user:user:token_bucket:50:60000:50:jwt:u1'],
    ]);
    expect(header(exchange, 'RateLimit')).toBe(
      '"default";r=4;t=1, "default-2";r=4;t=1, "default-3";r=4;t=12, "user";r=4;t=1',
    );
  });

  it('are not asked when a limit in memory refuses already', async () => {
    const send = pathOf({ own: [limitOf(1), limitOf(10, IN_REDIS)] });
    await send(exchangeOf());
    expect(await send(exchangeOf())).toMatchObject({ reason: 'rate_limited' });
    expect(bench.redis.calls).toHaveLength(1);
  });

  it('give back in one call what a later stage refused', async () => {
    const send = pathOf({
      own: [limitOf(10, IN_REDIS), limitOf(7, { ...IN_REDIS, by: 'route' })],
      user: limitOf(1, BY_USER),
    });
    bench.redis.answer = () => '1 4 1000 0 77';
    await send(exchangeOf());
    const exchange = exchangeOf();
    expect(await send(exchange)).toMatchObject({ reason: 'rate_limited' });
    const [, taken, refund] = bench.redis.calls;
    expect(refund!.keys).toEqual(taken!.keys);
    // Algorithm, cost and the stamp of the take, for each key.
    expect([refund!.args[1], refund!.args[2], refund!.args[7], refund!.args[8]]).toEqual([1, 77, 1, 77]);
    expect(header(exchange, 'RateLimit')).toContain('"default";r=5;t=1, "default-2";r=5;t=1');
  });

  it('give back here what Redis refused', async () => {
    const send = pathOf({ own: [limitOf(2), limitOf(10, IN_REDIS)] });
    bench.redis.answer = () => '0 0 1000 2500 0';
    for (let i = 0; i < 5; i++) {
      const exchange = exchangeOf();
      expect(await send(exchange)).toMatchObject({ headers: { 'Retry-After': '3' } });
      expect(header(exchange, 'RateLimit')).toBe('"default";r=2;t=0, "default-2";r=0;t=1');
    }
    expect(bench.redis.calls).toHaveLength(5);
  });

  it.each(['local', 'open', 'closed'] as const)('%s: while Redis is away', async (on_store_failure) => {
    const send = pathOf({ own: [limitOf(3), limitOf(1, { ...IN_REDIS, on_store_failure })] });
    expect(await send(exchangeOf())).toBeNull();
    bench.redis.goDown();
    const reasons: (string | undefined)[] = [];
    for (let i = 0; i < 4; i++) reasons.push((await send(exchangeOf()))?.reason);
    const expected = {
      local: [undefined, 'rate_limited', 'rate_limited', 'rate_limited'],
      open: [undefined, undefined, 'rate_limited', 'rate_limited'],
      closed: Array<string>(4).fill('rate_limit_store_unavailable'),
    };
    expect(reasons).toEqual(expected[on_store_failure]);
    expect(bench.redis.calls).toHaveLength(1);
    expect(bench.lines.filter((line) => line.startsWith('rate limit store'))).toEqual([
      'rate limit store unavailable',
    ]);
    expect(bench.stores.limitStoreUp()).toBe(false);
  });

  it('judge on what fails while it is asked as if it had been away, and ask no more', async () => {
    const send = pathOf({ own: [limitOf(1, IN_REDIS)] });
    bench.redis.answer = () =>
      Promise.reject(new Error('READONLY You can’t write against a read only replica.'));
    expect(await send(exchangeOf())).toBeNull();
    expect(await send(exchangeOf())).toMatchObject({ reason: 'rate_limited' });
    expect(bench.redis.calls).toHaveLength(1);
  });

  it('say nothing of a store that no document needs any more', async () => {
    const send = pathOf({ own: [limitOf(1, IN_REDIS)] });
    expect(bench.stores.limitStoreUp()).toBe(true);
    bench.compiler.retain(documentOf({ own: [limitOf(1)] }).document);
    bench.redis.goDown();
    expect(await send(exchangeOf())).toBeNull();
    expect(bench.lines).toEqual([]);
    expect(bench.stores.limitStoreUp()).toBeNull();
  });
});
