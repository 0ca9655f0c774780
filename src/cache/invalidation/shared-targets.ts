import { parseRoutePath } from '../../config/route-path.js';
import type { RouteConfig } from '../../config/route.config.js';

type Matched = Pick<RouteConfig, 'path' | 'exact' | 'hosts'>;

/** Whether one URI may match both routes, but for the method: what one changes, the other may have stored. */
export function mayShareTargets(a: Readonly<Matched>, b: Readonly<Matched>): boolean {
  return haveCommonHost(a.hosts, b.hosts) && haveCommonPath(a, b);
}

function haveCommonHost(a: readonly string[], b: readonly string[]): boolean {
  if (a.length === 0 || b.length === 0) return true;
  return a.some((one) => b.some((other) => covers(one, other) || covers(other, one)));
}

function covers(pattern: string, host: string): boolean {
  return pattern.startsWith('*') ? host.endsWith(pattern.slice(1)) : pattern === host;
}

function haveCommonPath(a: Readonly<Matched>, b: Readonly<Matched>): boolean {
  const [one, other] = [parseRoutePath(a.path).segments, parseRoutePath(b.path).segments];
  if (a.exact && one.length < other.length) return false;
  if (b.exact && other.length < one.length) return false;
  return one.every((segment, at) => {
    const against = other[at];
    if (against === undefined || 'param' in segment || 'param' in against) return true;
    return JSON.stringify(segment) === JSON.stringify(against);
  });
}
