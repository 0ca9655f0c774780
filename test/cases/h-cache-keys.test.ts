import { describe, expect, it } from 'vitest';

import { echoUpstream, startTestGateway, type TestGateway } from '../support/index.js';
import { cacheScene, send } from '../cache/support.js';

const FRESH = { 'cache-control': 'max-age=60' };

async function cacheOf(gateway: TestGateway, path: string, headers = {}): Promise<string | undefined> {
  return (await gateway.get(path, { headers })).header('x-cache');
}

describe('what tells stored answers apart', () => {
  it('is host, path, query in its order, and the language that Vary names', async () => {
    const { gateway } = await cacheScene((request, response) =>
      send(response, request.url!, { ...FRESH, vary: 'Accept-Language, X-None' }),
    );
    const asked: [string, object][] = [
      ['/a?x=1&y=2', {}],
      ['/a?y=2&x=1', {}],
      ['/a', {}],
      ['/A', {}],
      ['/a/', {}],
      ['/%61', {}],
      ['/a', { host: 'b.example' }],
      ['/a', { host: 'b.example:81' }],
      ['/a', { 'accept-language': 'de' }],
      ['/a', { 'accept-language': 'en' }],
      ['/a', { 'x-none': '' }],
    ];
    for (const [path, headers] of asked) expect(await cacheOf(gateway, path, headers)).toBe('MISS');
    for (const [path, headers] of asked) expect(await cacheOf(gateway, path, headers)).toBe('HIT');
    expect(await cacheOf(gateway, '/a', { 'accept-language': ' DE', 'x-other': '1' })).toBe('HIT');
  });

  it('is the upstream, however its address and the path join', async () => {
    const [one, two] = [await echoUpstream(), await echoUpstream()];
    one.headers = two.headers = FRESH;
    const gateway = await startTestGateway({
      upstreams: { a: { backends: [one.backend] }, b: { backends: [two.backend] } },
      routes: [
        {
          id: 'r',
          path: '/',
          split: [
            { upstream: 'a', weight: 1 },
            { upstream: 'b', weight: 0, headers: { 'x-beta': '1' } },
          ],
          cache: {},
        },
      ],
    });
    expect(await cacheOf(gateway, '/1')).toBe('MISS');
    expect(await cacheOf(gateway, '/1', { 'x-beta': '1' })).toBe('MISS');
    expect(await cacheOf(gateway, '/1', { 'x-beta': '1' })).toBe('HIT');
    expect([one.requests.length, two.requests.length]).toEqual([1, 1]);
  });

  it('is what the configuration says of query and headers', async () => {
    const { gateway } = await cacheScene((_request, response) => send(response, 'x', FRESH), {
      key: { query: ['id', 'näme'], headers: ['X-Tenant'] },
    });
    expect(await cacheOf(gateway, '/a?id=1&utm=2')).toBe('MISS');
    expect(await cacheOf(gateway, '/a?utm=3&%69d=1')).toBe('MISS');
    expect(await cacheOf(gateway, '/a?utm=3&id=1&id')).toBe('MISS');
    expect(await cacheOf(gateway, '/a?id=1&utm=4')).toBe('HIT');
    expect(await cacheOf(gateway, '/a?id=1&n%C3%A4me=4')).toBe('MISS');
    expect(await cacheOf(gateway, '/a?id=1', { 'x-tenant': 'a' })).toBe('MISS');
    expect(await cacheOf(gateway, '/a?id=1', { 'x-tenant': '' })).toBe('MISS');
    expect(await cacheOf(gateway, '/a?id=1', { 'x-tenant': 'a' })).toBe('HIT');
  });

  it('is the scheme that a trusted proxy tells', async () => {
    const { backend } = await echoUpstream({ respond: (_, response) => send(response, 'x', FRESH) });
    const gateway = await startTestGateway({
      server: { trusted_proxies: ['127.0.0.1/32'] },
      routes: [{ id: 'r', path: '/', backends: [backend], cache: {} }],
    });
    expect(await cacheOf(gateway, '/a', { 'x-forwarded-proto': 'http' })).toBe('MISS');
    expect(await cacheOf(gateway, '/a', { 'x-forwarded-proto': 'https' })).toBe('MISS');
    expect(await cacheOf(gateway, '/a', { 'x-forwarded-proto': 'https' })).toBe('HIT');
  });

  it('is the route with its settings: a reload keeps the entries of those that did not change', async () => {
    const upstream = await echoUpstream();
    upstream.headers = FRESH;
    const document = (ttl: string, extra: object[]): object => ({
      upstreams: { u: { backends: [upstream.backend] } },
      routes: [
        { id: 'same', path: '/same', upstream: 'u', cache: {} },
        { id: 'other', path: '/other', upstream: 'u', cache: { ttl } },
        ...extra,
      ],
    });
    const gateway = await startTestGateway(document('10s', []));
    await cacheOf(gateway, '/same');
    await cacheOf(gateway, '/other');
    const added = { id: 'new', path: '/new', upstream: 'u' };
    expect(await gateway.reload({ ...document('20s', [added]), auth: { default: 'none' } })).toBe(true);
    expect(await cacheOf(gateway, '/same')).toBe('HIT');
    expect(await cacheOf(gateway, '/other')).toBe('MISS');
  });

  it('is never a limit that a hit goes round', async () => {
    const { gateway } = await cacheScene(
      (_request, response) => send(response, 'x', FRESH),
      {},
      {
        rate_limit: { requests: 2, per: '1h' },
      },
    );
    expect([await cacheOf(gateway, '/a'), await cacheOf(gateway, '/a')]).toEqual(['MISS', 'HIT']);
    expect((await gateway.get('/a')).status).toBe(429);
  });
});
