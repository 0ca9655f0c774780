import { describe, expect, it } from 'vitest';

import { RouteConfig } from '../config/route.config.js';
import type { Route } from '../exchange/route.js';
import { canonicalTarget } from './canonical-path.js';
import type { MatchRequest } from '../exchange/snapshot.js';
import { RouteTable } from './route-table.js';

let unnamed = 0;

function route(fields: Partial<RouteConfig> & { path: string }): Route {
  const config = Object.assign(new RouteConfig(), { id: fields.path, upstream: 'u' }, fields);
  return { id: config.id, path: config.path, config } as Route;
}

function request(target: string, fields: Partial<MatchRequest> = {}): MatchRequest {
  const { path, query } = canonicalTarget(target)!;
  return { method: 'GET', path, host: null, headers: {}, query, ...fields };
}

/** The id of the route that takes the target, in both orders of declaration. */
function idFor(routes: Route[], target: string, fields: Partial<MatchRequest> = {}): string | null {
  const asked = request(target, fields);
  const id = RouteTable.build(routes).match(asked)?.route.id ?? null;
  const reversed = RouteTable.build(routes.toReversed()).match(asked)?.route.id ?? null;
  expect(reversed).toBe(id);
  return id;
}

const paths = (...list: string[]): Route[] => list.map((path) => route({ path }));
const named = (fields: Partial<RouteConfig>): Route => route({ path: '/a', id: `r${++unnamed}`, ...fields });

describe('a prefix', () => {
  it.each([
    ['/api', '/api'],
    ['/api/', '/api'],
    ['/api//', '/api'],
    ['/api//x', '/api'],
    ['/api/users/1', '/api'],
    ['/api%2e/admin', null],
    ['/apiary', null],
    ['/ap', null],
    ['/API', null],
    ['/api;v=1', null],
    ['/api%2Fusers', null],
    ['//api', null],
    ['/', null],
  ])('takes %s: %s', (target, id) => {
    expect(idFor(paths('/api'), target)).toBe(id);
  });

  it('/ takes everything', () => {
    for (const target of ['/', '//', '/x', '//x/y', '/x//']) expect(idFor(paths('/'), target)).toBe('/');
  });

  it('means the same with a trailing slash', () => {
    const table = paths('/api/');
    expect(idFor(table, '/api')).toBe('/api/');
    expect(idFor(table, '/api/x')).toBe('/api/');
  });

  it('is compared in canonical form on both sides', () => {
    expect(idFor(paths('/größe'), '/gr%c3%b6%C3%9fe/x')).toBe('/größe');
    expect(idFor(paths('/%7euser'), '/~user')).toBe('/%7euser');
    expect(idFor(paths('/a%2fb'), '/a%2Fb')).toBe('/a%2fb');
    expect(idFor(paths('/users'), '/%75sers')).toBe('/users');
  });
});

describe('an exact path', () => {
  it.each([
    ['/a', '/a'],
    ['/a/', null],
    ['/a/b', null],
    ['/a//', null],
  ])('/a takes %s: %s', (target, id) => {
    expect(idFor([route({ path: '/a', exact: true })], target)).toBe(id);
  });

  it('keeps its trailing slash', () => {
    const table = [route({ path: '/a/', exact: true }), route({ path: '/a', id: 'prefix' })];
    expect(idFor(table, '/a/')).toBe('/a/');
    expect(idFor(table, '/a')).toBe('prefix');
    expect(idFor(table, '/a//')).toBe('prefix');
  });

  it('/ takes the root alone', () => {
    const table = [route({ path: '/', exact: true })];
    expect(idFor(table, '/')).toBe('/');
    expect(idFor(table, '//')).toBeNull();
    expect(idFor(table, '/a')).toBeNull();
  });

  it('comes before a prefix of the same path, even one with conditions', () => {
    const table = [
      route({ path: '/a', id: 'prefix', headers: { 'x-canary': '1' } }),
      route({ path: '/a', id: 'exact', exact: true }),
    ];
    expect(idFor(table, '/a', { headers: { 'x-canary': '1' } })).toBe('exact');
    expect(idFor(table, '/a/b', { headers: { 'x-canary': '1' } })).toBe('prefix');
  });
});

describe('the order of paths', () => {
  const table = paths('/user/:id', '/user/new', '/bar', '/baz', '/:any', '/match', '/match/prefix/one');

  it.each([
    ['/user/new', '/user/new'],
    ['/user/new/', '/user/new'],
    ['/user/123', '/user/:id'],
    ['/user/123/status', '/user/:id'],
    ['/user', '/:any'],
    ['/basomething', '/:any'],
    ['/bar', '/bar'],
    ['/match/prefix/one/two', '/match/prefix/one'],
    ['/match/prefix', '/match'],
    ['/', null],
  ])('%s goes to %s', (target, id) => {
    expect(idFor(table, target)).toBe(id);
  });

  it('decides by the first segment that differs, then by length', () => {
    const clash = paths('/a/{x}/c/d', '/a/b', '/{y}/b/c/d/e', '/a/{x}');
    expect(idFor(clash, '/a/b/c/d/e')).toBe('/a/b');
    expect(idFor(clash, '/a/z/c/d')).toBe('/a/{x}/c/d');
    expect(idFor(clash, '/a/z/c')).toBe('/a/{x}');
    expect(idFor(clash, '/z/b/c/d/e')).toBe('/{y}/b/c/d/e');
  });

  it('falls back from a literal that leads nowhere to a parameter, then to a shorter path', () => {
    const routes = paths('/a/b/c', '/a/{x}/d', '/a');
    expect(idFor(routes, '/a/b/d')).toBe('/a/{x}/d');
    expect(idFor(routes, '/a/b/e')).toBe('/a');
  });
});

describe('parameters', () => {
  const match = (path: string, target: string): Readonly<Record<string, string>> | undefined =>
    RouteTable.build([route({ path })]).match(request(target))?.params;

  it.each([
    ['/u/:id', '/u/42/x', { id: '42' }],
    ['/{a}/x/{b}', '/1/x/2', { a: '1', b: '2' }],
    ['/{a}/{b}/c', '/1/2/c/d', { a: '1', b: '2' }],
    ['/u/{id}', '/u/a%2Fb%20c', { id: 'a/b c' }],
    ['/u/{id}', '/u/gr\u00c3\u00b6n', { id: 'grön' }],
    ['/u/{id}', '/u/a%2520b', { id: 'a%20b' }],
    ['/u/{id}', '/u/%e9', { id: '%E9' }],
    ['/doc/:name', `/doc/${'a'.repeat(600)}`, { name: 'a'.repeat(600) }],
  ])('%s of %s', (path, target, params) => {
    expect({ ...match(path, target) }).toEqual(params);
  });

  it.each(['/u', '/u/', '/u//', '/u//x'])('are never empty: %s', (target) => {
    expect(match('/u/{id}', target)).toBeUndefined();
  });

  it('have no prototype, whatever they are called', () => {
    const params = match('/u/{__proto__}/{constructor}', '/u/a/b')!;
    expect(Object.getPrototypeOf(params)).toBeNull();
    expect(Object.entries(params)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });

  it('are one shared frozen object where there are none', () => {
    const table = RouteTable.build(paths('/a', '/b'));
    const params = table.match(request('/a'))!.params;
    expect(params).toBe(table.match(request('/b'))!.params);
    expect(Object.isFrozen(params)).toBe(true);
    expect(Object.getPrototypeOf(params)).toBeNull();
  });
});

describe('hosts', () => {
  const routes = [
    route({ path: '/', id: 'exact', hosts: ['Shop.Example.com'] }),
    route({ path: '/', id: 'deep', hosts: ['*.eu.example.com'] }),
    route({ path: '/a', id: 'wild', hosts: ['*.example.com'] }),
    route({ path: '/a/b', id: 'any' }),
  ];

  it.each([
    ['shop.example.com', 'exact'],
    ['x.eu.example.com', 'deep'],
    ['x.y.eu.example.com', 'deep'],
    ['eu.example.com', 'wild'],
    ['x.example.com', 'wild'],
    ['example.com', 'any'],
    ['badexample.com', 'any'],
    ['[::1]', 'any'],
    [null, 'any'],
  ])('%s goes to %s although the path is longest elsewhere', (host, id) => {
    expect(idFor(routes, '/a/b', { host })).toBe(id);
  });

  it('give way to less exact ones', () => {
    expect(idFor(routes, '/a/b', { host: 'x.example.com', method: 'GET' })).toBe('wild');
    const posting = [named({ id: 'post', hosts: ['h.x'], methods: ['POST'] }), named({ id: 'any' })];
    expect(idFor(posting, '/a', { host: 'h.x' })).toBe('any');
    const wild = [
      named({ id: 'shop', hosts: ['h.x'], headers: { k: 'v' } }),
      named({ id: 'star', hosts: ['*.x'] }),
      named({ id: 'none' }),
    ];
    expect(idFor(wild, '/a', { host: 'h.x' })).toBe('star');
    expect(idFor(wild, '/a', { host: 'h.x', headers: { k: 'v' } })).toBe('shop');
  });

  it('may be several, with a final dot', () => {
    const table = [route({ path: '/', id: 'both', hosts: ['a.x', 'b.x.', 'A.X'] })];
    expect(idFor(table, '/', { host: 'a.x' })).toBe('both');
    expect(idFor(table, '/', { host: 'b.x' })).toBe('both');
    expect(idFor(table, '/', { host: 'c.x' })).toBeNull();
  });
});

describe('methods', () => {
  const routes = [
    route({ path: '/a/b', id: 'read', methods: ['GET'] }),
    route({ path: '/a', id: 'write', methods: ['POST'] }),
  ];

  it('give way to a shorter path', () => {
    expect(idFor(routes, '/a/b', { method: 'GET' })).toBe('read');
    expect(idFor(routes, '/a/b', { method: 'HEAD' })).toBe('read');
    expect(idFor(routes, '/a/b', { method: 'POST' })).toBe('write');
    expect(idFor(routes, '/a/b', { method: 'PUT' })).toBeNull();
  });

  it('are case-sensitive', () => {
    expect(idFor(routes, '/a/b', { method: 'get' })).toBeNull();
  });

  it('left out are all methods', () => {
    expect(idFor(paths('/a'), '/a', { method: 'PURGE' })).toBe('/a');
  });

  it('of all routes that match but for the method are allowed', () => {
    const table = RouteTable.build([
      ...routes,
      route({ path: '/', methods: ['DELETE'], headers: { 'x-admin': '1' } }),
      route({ path: '/{x}', methods: ['PATCH'], hosts: ['h.x'] }),
    ]);
    expect(table.allowedMethods(request('/a/b', { method: 'PUT' }))).toEqual(['GET', 'HEAD', 'POST']);
    expect(table.allowedMethods(request('/a', { method: 'PUT' }))).toEqual(['POST']);
    expect(table.allowedMethods(request('/a', { headers: { 'x-admin': '1' } }))).toEqual(['DELETE', 'POST']);
    expect(table.allowedMethods(request('/a', { host: 'h.x' }))).toEqual(['PATCH', 'POST']);
    expect(table.allowedMethods(request('/b'))).toEqual([]);
  });
});

describe('a preflight', () => {
  const table = RouteTable.build([
    route({ path: '/a', id: 'get', methods: ['GET'], headers: { 'x-canary': '1' } }),
    route({ path: '/a/{id}', id: 'put', methods: ['PUT'], hosts: ['h.x'] }),
    route({ path: '/', id: 'options', methods: ['OPTIONS'] }),
  ]);

  it.each([
    ['/a/1', 'h.x', 'PUT', 'put'],
    ['/a/1', null, 'PUT', undefined],
    ['/a/1', 'h.x', 'GET', 'get'],
    ['/a/1', 'h.x', 'OPTIONS', 'options'],
    ['/b', null, 'GET', undefined],
  ])('of %s on %s for %s goes to %s', (path, host, method, id) => {
    expect(table.matchPreflight(path, host, method)?.route.id).toBe(id);
  });

  it('has the parameters', () => {
    expect({ ...table.matchPreflight('/a/1', 'h.x', 'PUT')?.params }).toEqual({ id: '1' });
  });
});

describe('conditions', () => {
  it('come first where there are more of them, then the order of the document', () => {
    const routes = [
      named({ id: 'none' }),
      named({ id: 'one', headers: { 'X-A': '1' } }),
      named({ id: 'two', headers: { 'x-a': '1' }, query: { b: '2' } }),
    ];
    expect(idFor(routes, '/a')).toBe('none');
    expect(idFor(routes, '/a', { headers: { 'x-a': '1' } })).toBe('one');
    expect(idFor(routes, '/a?b=2')).toBe('none');
    expect(idFor(routes, '/a?b=2', { headers: { 'x-a': '1' } })).toBe('two');
  });

  it('in equal number follow the document', () => {
    const twins = [named({ id: 'h', headers: { a: '1' } }), named({ id: 'q', query: { b: '2' } }), named({})];
    const asked = request('/a?b=2', { headers: { a: '1' } });
    expect(RouteTable.build(twins).match(asked)?.route.id).toBe('h');
    expect(RouteTable.build(twins.toReversed()).match(asked)?.route.id).toBe('q');
  });

  it('that fail give way to a shorter path', () => {
    const routes = [route({ path: '/a/b', headers: { k: 'v' } }), ...paths('/a')];
    expect(idFor(routes, '/a/b')).toBe('/a');
    expect(idFor(routes, '/a/b', { headers: { k: 'v' } })).toBe('/a/b');
  });
});

describe('RouteTable', () => {
  it('is the same when built in slices, and lets the event loop run between them', async () => {
    const routes = Array.from({ length: 25 }, (_, index) => route({ path: `/s${index}/{id}` }));
    let turns = 0;
    let building = true;
    const count = (): void => {
      turns++;
      if (building) setImmediate(count);
    };
    setImmediate(count);
    const table = await RouteTable.buildSliced(routes, 5);
    building = false;
    expect(turns).toBeGreaterThanOrEqual(4);
    for (const [index, { id }] of routes.entries()) {
      expect(table.match(request(`/s${index}/x`))?.route.id).toBe(id);
    }
  });

  it('without routes matches nothing', () => {
    const table = RouteTable.build([]);
    expect(table.match(request('/'))).toBeNull();
    expect(table.allowedMethods(request('/'))).toEqual([]);
  });

  it('asks each route at most once, however the table and the path are made', () => {
    let asked = 0;
    const routes = Array.from({ length: 1 << 10 }, (_, bits) => {
      const segments = Array.from({ length: 10 }, (__, at) => ((bits >> at) & 1 ? 'a' : `{p${at}}`));
      const config = Object.assign(new RouteConfig(), {
        id: `r${bits}`,
        path: `/${segments.join('/')}/z`,
        upstream: 'u',
      });
      config.headers = { k: 'v' };
      return { id: config.id, path: config.path, config } as Route;
    });
    const headers = {
      get k(): string {
        asked++;
        return 'no';
      },
    };
    expect(RouteTable.build(routes).match(request(`${'/a'.repeat(10)}/z`, { headers }))).toBeNull();
    expect(asked).toBe(1 << 10);
  });
});
