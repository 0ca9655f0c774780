import type { Draft } from '../draft.js';
import { parseRoutePath, pathShape } from '../route-path.js';
import type { RouteConfig } from '../route.config.js';
import { hiddenAs, shown } from '../secrets.js';

/** Routes among themselves and beside the gateway's own endpoints. */
export function checkRoutes(draft: Draft): void {
  checkAny(draft);
  const reserved = ['health', 'metrics', '_gateway', ...metricsSegment(draft)];
  for (const route of draft.routes) checkReserved(draft, route, reserved);
  const matched = checkSameRequests(draft);
  checkIds(draft, matched);
}

function checkAny({ document, report, trace }: Draft): void {
  const written = trace.keys(document.routes).length + trace.keys(document.groups).length;
  // A wrong value in their place was reported already.
  const reported = report.issues.some(({ path }) => path === 'routes' || path === 'groups');
  if (written > 0 || reported) return;
  report.at(document, 'routes', 'has no routes, expected at least one');
}

function metricsSegment({ document }: Draft): string[] {
  const [, first = ''] = document.metrics.path.split('/');
  return first === '' ? [] : [first];
}

function checkReserved({ report }: Draft, route: RouteConfig, reserved: readonly string[]): void {
  const [first] = parseRoutePath(route.path).segments;
  if (!first || !('literal' in first) || !reserved.includes(first.literal)) return;
  const what = `${shown(route, 'path')} lies at or under a path that the gateway serves itself`;
  const own = '/health, /metrics, /_gateway and metrics.path';
  report.at(route, 'path', `${what}, expected none of ${own}`);
}

/** The routes that were refused because an earlier one matches the same requests. */
function checkSameRequests(draft: Draft): Set<RouteConfig> {
  const refused = new Set<RouteConfig>();
  const first = new Map<string, RouteConfig>();
  for (const route of draft.routes) {
    for (const key of matchKeys(route)) {
      const other = first.get(key);
      if (!other) first.set(key, route);
      else if (other !== route && !refused.has(route)) {
        refused.add(route);
        reportSame(draft, route, other);
      }
    }
  }
  return refused;
}

function reportSame({ report, trace }: Draft, route: RouteConfig, other: RouteConfig): void {
  const one = `the route ${nameOf(route)} (line ${trace.line(route)})`;
  const two = `the route ${nameOf(other)} (line ${trace.line(other)})`;
  const expected = 'expected another path, method, host, header or query';
  report.at(route, 'path', `${one} matches the same requests as ${two}, ${expected}`);
}

/** The id as an error may show it. */
function nameOf(route: RouteConfig): string {
  return hiddenAs(route, 'id') ?? route.id;
}

/** What a route matches, once for each host and method. */
function matchKeys(route: RouteConfig): string[] {
  const shape = pathShape(parseRoutePath(route.path), route.exact);
  const where = JSON.stringify([shape, route.exact, conditionsKey(route)]);
  const hosts = route.hosts.length > 0 ? route.hosts : ['any'];
  return hosts.flatMap((host) => (route.methods ?? ['any']).map((name) => `${where} ${host} ${name}`));
}

/** All conditions of a route as one comparable text. */
export function conditionsKey(route: Readonly<RouteConfig>): string {
  const headers = Object.entries(route.headers).map(([name, value]) => `h ${name.toLowerCase()} ${value}`);
  const query = Object.entries(route.query).map(([name, value]) => `q ${name} ${value}`);
  return JSON.stringify([...headers, ...query].toSorted());
}

function checkIds({ routes, report, trace }: Draft, matched: ReadonlySet<RouteConfig>): void {
  const first = new Map<string, RouteConfig>();
  for (const route of routes) {
    const other = first.get(route.id);
    if (!other) {
      first.set(route.id, route);
      continue;
    }
    const given = trace.given(route, 'id');
    if (!given && matched.has(route)) continue;
    const missing = given ? '' : 'is missing, and the default ';
    const taken = `${shown(route, 'id')} is taken by the route in line ${trace.line(other)}`;
    report.at(route, 'id', `${missing}${taken}, expected an id of its own`);
  }
}
