import { describe, expect, it, vi } from 'vitest';

import { GatewayConfig } from '../config/gateway.config.js';
import { CacheConfig } from '../config/response.config.js';
import { RouteConfig } from '../config/route.config.js';
import { Exchange } from '../exchange/exchange.js';
import type { RouteTools } from '../exchange/forwarder.js';
import { Refusal } from '../exchange/refusal.js';
import type { ResponseSink } from '../exchange/response.js';
import { requestHead } from '../exchange/request-head.fixture.js';
import { CacheCounts } from './cache-counts.js';
import { compilePolicy } from './cache-policy.js';
import type { CacheStore, Found, StoredSet } from './cache-store.js';
import { CachingForwarder } from './caching-forwarder.js';
import { Entries } from './fetch/entries.js';
import { Fetches } from './fetch/fetches.js';
import { Flights } from './fetch/flights.js';
import { KeyMaker } from './key-maker.js';

/** A store over a network: every answer is a promise. */
class LateStore implements CacheStore {
  available = true;
  readonly sets = new Map<string, StoredSet>();

  async get(key: string): Promise<Found> {
    return { set: this.sets.get(key) ?? null, seen: { marks: '', version: '' } };
  }
  async put(key: string, set: StoredSet): Promise<boolean> {
    this.sets.set(key, set);
    return true;
  }
  async delete(key: string): Promise<void> {
    this.sets.delete(key);
  }
  async clear(): Promise<number> {
    return 0;
  }
}

function sinkSpy() {
  const heads: { status: number; headers: string[] }[] = [];
  const sink = {
    source: null as ResponseSink['source'],
    heads,
    text: '',
    head: (head: { status: number; headers: string[] }) => void heads.push(head),
    data: (chunk: Buffer) => {
      sink.text += chunk.toString();
      return true;
    },
    end: vi.fn<() => void>(),
    abort: vi.fn<() => void>(),
    refuse: vi.fn<(refusal: Refusal) => void>(),
    switched: vi.fn<() => void>(),
    interim: vi.fn<() => void>(),
  };
  return sink;
}

function exchangeFor(headers: string[] = [], head: object = {}): Exchange {
  const exchange = new Exchange(
    'id',
    0,
    requestHead({ target: '/a', remoteAddress: '', remotePort: 0, host: 'h', rawHeaders: headers, ...head }),
  );
  exchange.target = { path: '/a', rawPath: '/a', query: '', authority: null, originForm: '/a' };
  exchange.raw = { socket: {} } as unknown as Exchange['raw'];
  exchange.upstream = { name: 'u', ownCookie: null } as unknown as Exchange['upstream'];
  return exchange;
}

/** A route before an upstream that answers at once. */
function scene() {
  const [route, document] = [new RouteConfig(), new GatewayConfig()];
  Object.assign(route, { id: 'r', path: '/', cache: new CacheConfig() });
  const store = new LateStore();
  const counts = new CacheCounts().of('r', '/');
  const tools: RouteTools = {
    outgoing: (exchange) => (exchange.outgoing ??= { target: '/a', lines: [...exchange.head.rawHeaders] }),
    collect: (_exchange, _sink, done) => done(),
  };
  const answer = (_exchange: Exchange, sink: ResponseSink): void => {
    sink.head({ status: 200, statusText: 'OK', headers: [], contentLength: 4 });
    sink.data(Buffer.from('body'));
    sink.end(null);
  };
  const next = { forward: vi.fn<typeof answer>(answer) };
  const internalError = vi.fn<() => void>();
  const forwarder = new CachingForwarder({
    policy: compilePolicy(route.cache!, document),
    keys: new KeyMaker(route, document, tools),
    entries: new Entries(store, counts),
    fetches: new Fetches(),
    flights: new Flights(),
    clock: { now: () => 0, wall: () => 1_000_000 },
    log: { internalError, upstreamRequestFailed: () => {} },
    counts,
    store,
    next,
    tools,
  });
  return { forwarder, store, next, counts, internalError };
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('the cache over a store that answers late', () => {
  it('waits for the store, fills it, and answers from it', async () => {
    const { forwarder, next, counts } = scene();
    const [first, second] = [sinkSpy(), sinkSpy()];
    forwarder.forward(exchangeFor(), first);
    expect(next.forward).not.toHaveBeenCalled();
    await turn();
    expect([first.text, first.end.mock.calls.length]).toEqual(['body', 1]);
    forwarder.forward(exchangeFor(), second);
    await turn();
    expect(second.text).toBe('body');
    expect(second.heads[0]!.headers.slice(-6)).toEqual([
      'Age',
      '0',
      'Cache-Status',
      'nexus; hit; ttl=60',
      'X-Cache',
      'HIT',
    ]);
    expect(next.forward).toHaveBeenCalledTimes(1);
    expect(counts).toMatchObject({ hits: 1, misses: 1, stores: 1 });
  });

  it('says and counts nothing of storing while the store is known to be away', async () => {
    const { forwarder, store, counts } = scene();
    store.available = false;
    const sink = sinkSpy();
    forwarder.forward(exchangeFor(), sink);
    await turn();
    expect(sink.heads[0]!.headers).toEqual(['Cache-Status', 'nexus; fwd=uri-miss', 'X-Cache', 'MISS']);
    expect(counts).toMatchObject({ misses: 1, stores: 0 });
  });

  it('sends nothing upstream for a client that left meanwhile', async () => {
    const { forwarder, next } = scene();
    const sink = sinkSpy();
    forwarder.forward(exchangeFor(), sink);
    sink.source!.cancel();
    await turn();
    expect(next.forward).not.toHaveBeenCalled();
  });

  it('answers what is thrown behind it', async () => {
    const { forwarder, next, internalError } = scene();
    const [refused, faulty] = [sinkSpy(), sinkSpy()];
    next.forward.mockImplementationOnce(() => {
      throw new Refusal('bad_request');
    });
    forwarder.forward(exchangeFor(), refused);
    await turn();
    expect(refused.refuse.mock.calls[0]![0].reason).toBe('bad_request');
    next.forward.mockImplementationOnce(() => {
      throw new TypeError('oops');
    });
    forwarder.forward(exchangeFor(), faulty);
    await turn();
    expect(faulty.refuse.mock.calls[0]![0].reason).toBe('internal_error');
    expect(internalError).toHaveBeenCalledTimes(1);
  });
});

describe('what passes the cache by', () => {
  it.each([
    [[], { upgrade: true }, null],
    [[], { hasBody: true }, 'bypass'],
    [[], { method: 'POST' }, 'method'],
    [['Cache-Control', 'no-store'], {}, 'request'],
    [['If-Match', '"1"'], {}, 'request'],
  ])('%j %j', (headers, head, fwd) => {
    const { forwarder, next, store } = scene();
    const sink = sinkSpy();
    forwarder.forward(exchangeFor(headers, head), sink);
    expect(next.forward).toHaveBeenCalledTimes(1);
    expect(sink.text).toBe('body');
    expect(store.sets.size).toBe(0);
    const expected = fwd === null ? [] : ['Cache-Status', `nexus; fwd=${fwd}`, 'X-Cache', 'BYPASS'];
    expect(sink.heads[0]!.headers).toEqual(expected);
  });
});
