import { describe, expect, it } from 'vitest';

import { type EchoUpstream, echoUpstream, startTestGateway, type TestGateway } from '../support/index.js';
import { rawGet } from './scene.js';

interface Stubs {
  readonly gateway: TestGateway;
  readonly stubs: Record<string, EchoUpstream>;
}

/** A route to an upstream of its own for each path, in the order given. */
async function routesTo(paths: readonly string[], route: object = {}): Promise<Stubs> {
  const stubs: Record<string, EchoUpstream> = {};
  for (const path of paths) {
    // oxlint-disable-next-line no-await-in-loop -- a handful.
    stubs[path] = await echoUpstream();
  }
  const routes = paths.map((path, index) => ({
    id: `r${index}`,
    path,
    backends: [stubs[path]!.backend],
    ...route,
  }));
  return { stubs, gateway: await startTestGateway({ routes }) };
}

/** The path of the route that answered, or the gateway's own status. */
async function takerOf({ gateway, stubs }: Stubs, target: string): Promise<string | number> {
  const before = Object.entries(stubs).map(([path, { started }]) => [path, started] as const);
  const { responses } = await gateway.raw(rawGet(target));
  const takers = before.filter(([path, started]) => stubs[path]!.started > started).map(([path]) => path);
  expect(takers.length).toBeLessThanOrEqual(1);
  return takers[0] ?? responses[0]!.status;
}

describe('case 4: dot segments do not step out of a prefix', () => {
  const climbing = [
    '/public/../admin',
    '/public/%2e%2e/admin',
    '/public/.%2E/admin',
    '/public/%2e%2e%2fadmin',
    '/public/..;/admin',
    '/public/..%5cadmin',
    '/public/..\\admin',
    '/public/%2e%2e%5cadmin',
    '/public/x/../../admin',
    '/public/./../admin',
    '/public/..%3bx/admin',
    '/public//../admin',
    'http://h/public/../admin',
  ];

  it.each(climbing)('%s is refused, whichever route it would come out at', async (target) => {
    const scene = await routesTo(['/public', '/admin']);
    expect(await takerOf(scene, target)).toBe(400);
    expect(Object.values(scene.stubs).map(({ started }) => started)).toEqual([0, 0]);
  });
});

describe('case 11: which route takes a request', () => {
  const paths = ['/user/:id', '/user/new', '/bar', '/baz', '/match', '/match/prefix/one', '/:any'];
  const takers: [string, string | number][] = [
    ['/user/new', '/user/new'],
    ['/user/123', '/user/:id'],
    ['/user/123/status', '/user/:id'],
    ['/user/new/', '/user/new'],
    ['/user/new/er', '/user/new'],
    ['/user/newer', '/user/:id'],
    ['/user/', '/:any'],
    ['/basomething', '/:any'],
    ['/bar', '/bar'],
    ['/barn', '/:any'],
    ['/match/prefix/one/two', '/match/prefix/one'],
    ['/match/prefix/oneness', '/match'],
    ['/match/prefix', '/match'],
    ['/', 200],
    ['//', 404],
  ];

  it.each([
    ['as written', paths],
    ['backwards', paths.toReversed()],
  ])('is the same in any order of declaration: %s', async (_, order) => {
    const scene = await routesTo(order);
    for (const [target, taker] of takers) {
      // oxlint-disable-next-line no-await-in-loop -- one at a time: the taker is told by its count.
      expect([target, await takerOf(scene, target)]).toEqual([target, taker]);
    }
  });

  it('lets an exact route take its own path alone', async () => {
    const scene = await routesTo(['/user/:id'], { exact: true });
    expect(await takerOf(scene, '/user/123')).toBe('/user/:id');
    expect(await takerOf(scene, '/user/123/status')).toBe(404);
    expect(await takerOf(scene, '/user/123/')).toBe(404);
  });

  it('gives way to the next route where the method does not fit, and says 405 when none is left', async () => {
    const [read, write] = [await echoUpstream(), await echoUpstream()];
    const gateway = await startTestGateway({
      routes: [
        { path: '/orders/{id}', methods: ['GET'], backends: [read.backend] },
        { path: '/orders', methods: ['POST', 'DELETE'], backends: [write.backend] },
      ],
    });
    await gateway.get('/orders/7');
    await gateway.request('/orders/7', { method: 'DELETE' });
    expect([read.started, write.started]).toEqual([1, 1]);
    const refused = await gateway.request('/orders/7', { method: 'PUT' });
    expect([refused.status, refused.header('allow')]).toEqual([405, 'DELETE, GET, HEAD, POST']);
  });
});

describe('case 12: clashing routes stop the start, naming both', () => {
  const backends = [{ url: 'http://127.0.0.1:9' }];

  it.each([
    ['the same path', '/a/b', '/a/b'],
    ['parameters of other names', '/a/:x', '/a/{y}'],
    ['another spelling', '/a/~b', '/a/%7eb'],
  ])('%s', async (_, one, other) => {
    const routes = [
      { id: 'first-one', path: one, methods: ['GET'], backends },
      { id: 'second-one', path: other, methods: ['GET'], backends },
    ];
    await expect(startTestGateway({ routes })).rejects.toThrow(/(?=.*first-one)(?=.*second-one)/s);
  });

  it('does not take different methods, hosts or conditions for a clash', async () => {
    const routes = [
      { path: '/a', methods: ['GET'], backends },
      { path: '/a', methods: ['POST'], backends },
      { id: 'h', path: '/a', methods: ['GET'], hosts: ['x.example'], backends },
      { id: 'c', path: '/a', methods: ['GET'], headers: { 'x-v': '2' }, backends },
    ];
    await expect(startTestGateway({ routes })).resolves.toBeDefined();
  });
});
