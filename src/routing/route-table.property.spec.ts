import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { RouteConfig } from '../config/route.config.js';
import type { Route } from '../exchange/route.js';
import { canonicalTarget } from './canonical-path.js';
import type { MatchRequest } from '../exchange/snapshot.js';
import { RouteTable } from './route-table.js';

type Fields = Pick<RouteConfig, 'path' | 'exact' | 'hosts' | 'methods' | 'headers' | 'query'>;

const METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS'];
const segment = fc.constantFrom('a', 'b', 'c', 'd.e', '{x}');

const path = fc
  .tuple(fc.array(segment, { maxLength: 4 }), fc.boolean())
  .map(
    ([parts, slash]) =>
      `/${parts.map((part, at) => part.replace('x', `p${at}`)).join('/')}${slash && parts.length ? '/' : ''}`,
  );

const fields: fc.Arbitrary<Fields> = fc.record({
  path,
  exact: fc.boolean(),
  hosts: fc.uniqueArray(fc.constantFrom('h.x', 'g.h.x', '*.x', '*.h.x'), { maxLength: 2 }),
  methods: fc.option(fc.uniqueArray(fc.constantFrom(...METHODS), { minLength: 1 })),
  headers: fc.constantFrom({}, {}, { k: '1' }, { k: '2' }),
  query: fc.constantFrom({}, {}, { q: '1' }),
});

const requests: fc.Arbitrary<MatchRequest> = fc
  .record({
    parts: fc.array(fc.constantFrom('a', 'b', 'c', 'd%2Ee', 'e', '', 'a%2Fb'), { maxLength: 6 }),
    method: fc.constantFrom(...METHODS, 'PUT'),
    host: fc.constantFrom(null, 'h.x', 'g.h.x', 'f.h.x', 'x', 'o.y'),
    headers: fc.constantFrom({}, { k: '1' }),
    query: fc.constantFrom('', '?q=1', '?q=2'),
  })
  .map(({ parts, ...rest }) => ({ ...rest, path: canonicalTarget(`/${parts.join('/')}`)!.path }));

function routesOf(list: readonly Fields[]): Route[] {
  return list.map((entry, index) => {
    const config = Object.assign(new RouteConfig(), { id: `r${index}`, upstream: 'u' }, entry);
    return { id: config.id, path: config.path, config } as Route;
  });
}

// The rules of docs/routing.md, written down as plainly as they are there.

const segmentsOf = (text: string): string[] => text.split('/').slice(1);
const configured = (route: Route): string[] => segmentsOf(route.path).filter((part) => part !== '');
const isParam = (part: string | undefined): boolean => part !== undefined && part.startsWith('{');

function pathFits({ path: routePath, config }: Route, asked: string): boolean {
  const wanted = segmentsOf(routePath).filter((part) => part !== '');
  const given = segmentsOf(asked);
  const fits = wanted.every((part, at) => (isParam(part) ? (given[at] ?? '') !== '' : given[at] === part));
  if (!fits || !config.exact) return fits;
  return (
    given.length === wanted.length + (routePath.endsWith('/') ? 1 : 0) && (given[wanted.length] ?? '') === ''
  );
}

function methodFits({ config }: Route, method: string): boolean {
  return (
    config.methods === null ||
    config.methods.includes(method === 'HEAD' ? 'GET' : method) ||
    config.methods.includes(method)
  );
}

function conditionsFit({ config }: Route, request: MatchRequest): boolean {
  const query = new URLSearchParams(request.query);
  return (
    Object.entries(config.headers).every(([name, value]) => request.headers[name] === value) &&
    Object.entries(config.query).every(([name, value]) => query.get(name) === value)
  );
}

/** Exact hosts 1000, wildcards by the length of what they fix, none 0; null when the host does not fit. */
function hostRank({ config }: Route, host: string | null): number | null {
  if (config.hosts.length === 0) return 0;
  const ranks = config.hosts.map((pattern) => {
    if (host === null) return -1;
    if (pattern === host) return 1000;
    return pattern.startsWith('*') && host.endsWith(pattern.slice(1)) ? pattern.length : -1;
  });
  const best = Math.max(...ranks);
  return best < 0 ? null : best;
}

function comparePaths(one: Route, other: Route): number {
  const [left, right] = [configured(one), configured(other)];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    if (left[at] === undefined) return 1;
    if (right[at] === undefined) return -1;
    const difference = Number(isParam(left[at])) - Number(isParam(right[at]));
    if (difference !== 0) return difference;
  }
  return Number(other.config.exact) - Number(one.config.exact);
}

const conditionCount = ({ config }: Route): number =>
  Object.keys(config.headers).length + Object.keys(config.query).length;

function reference(routes: readonly Route[], request: MatchRequest): Route | null {
  const fitting = routes.filter(
    (route) =>
      pathFits(route, request.path) &&
      methodFits(route, request.method) &&
      conditionsFit(route, request) &&
      hostRank(route, request.host) !== null,
  );
  const sorted = fitting.toSorted(
    (one, other) =>
      hostRank(other, request.host)! - hostRank(one, request.host)! ||
      comparePaths(one, other) ||
      conditionCount(other) - conditionCount(one),
  );
  return sorted[0] ?? null;
}

describe('RouteTable, for any routes and requests', () => {
  it('agrees with the rules', () => {
    fc.assert(
      fc.property(
        fc.array(fields, { maxLength: 12 }),
        fc.array(requests, { minLength: 1, maxLength: 8 }),
        (list, asked) => {
          const routes = routesOf(list);
          const table = RouteTable.build(routes);
          for (const request of asked) {
            expect(table.match(request)?.route.id).toBe(reference(routes, request)?.id);
          }
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('gives each parameter the segment at its place', () => {
    fc.assert(
      fc.property(fc.array(fields, { maxLength: 8 }), requests, (list, request) => {
        const match = RouteTable.build(routesOf(list)).match(request);
        if (match === null) return;
        const given = segmentsOf(request.path);
        const expected = configured(match.route).flatMap((part, at) =>
          isParam(part) ? [[part.slice(1, -1), decodeURIComponent(given[at]!)]] : [],
        );
        expect(Object.entries(match.params)).toEqual(expected);
      }),
    );
  });

  it('never lets the order of declaration decide between different paths', () => {
    const distinct = fc.uniqueArray(fields, {
      maxLength: 12,
      selector: ({ path: text, exact }) => {
        const shape = text.replaceAll(/\{p\d\}/g, '{}');
        return exact ? `=${shape}` : shape.replace(/(.)\/$/, '$1');
      },
    });
    const shuffled = distinct.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(shuffled, requests, ([list, other], request) => {
        const [first, second] = [list, other].map((entries) =>
          RouteTable.build(routesOf(entries)).match(request),
        );
        expect(second?.route.path).toBe(first?.route.path);
        expect(second?.route.config.exact).toBe(first?.route.config.exact);
      }),
      { numRuns: 500 },
    );
  });

  it('allows exactly the methods that would match', () => {
    fc.assert(
      fc.property(fc.array(fields, { maxLength: 8 }), requests, (list, request) => {
        const table = RouteTable.build(
          routesOf(list.map((entry) => ({ ...entry, methods: entry.methods ?? ['PATCH'] }))),
        );
        const expected = [...METHODS, 'PUT', 'PATCH'].filter(
          (method) => table.match({ ...request, method }) !== null,
        );
        expect(table.allowedMethods(request)).toEqual(expected.toSorted());
      }),
      { numRuns: 500 },
    );
  });
});
