import type { RouteConfig } from '../config/route.config.js';
import type { Upstream, UpstreamChoice } from '../exchange/upstream.js';
import { Split } from './split.js';

/** Which upstream each exchange of a route goes to. */
export function compileChoice(
  route: Readonly<RouteConfig>,
  upstreams: ReadonlyMap<string, Upstream>,
): UpstreamChoice {
  if (route.split !== null) return new Split(route.id, route.split, upstreams);
  const only = upstreams.get(route.upstream)!;
  return { choose: () => only };
}
