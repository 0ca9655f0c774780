import type { RouteConfig } from '../config/route.config.js';
import type { Upstream, UpstreamChoice } from '../exchange/upstream.js';

/** Which upstream each exchange of a route goes to. */
export function compileChoice(
  route: Readonly<RouteConfig>,
  upstreams: ReadonlyMap<string, Upstream>,
): UpstreamChoice {
  const only = upstreams.get(route.upstream)!;
  return { choose: () => only };
}
