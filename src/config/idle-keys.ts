import type { ConfigIssue } from './errors.js';
import type { GatewayConfig } from './gateway.config.js';
import type { RateLimitConfig } from './rate-limit.config.js';
import type { Trace } from './trace.js';

/** Warnings of keys that hold and do nothing, where somebody may count on them. */
export function idleKeys(config: GatewayConfig, trace: Trace): ConfigIssue[] {
  return [...idleBursts(config, trace), ...keyless(config, trace), ...emptyLists(config, trace)];
}

function idleBursts(config: GatewayConfig, trace: Trace): ConfigIssue[] {
  return [...limitsOf(config)]
    .filter(({ burst, algorithm }) => burst !== null && algorithm !== 'token_bucket')
    .map((limit) => {
      const message = `does nothing beside algorithm: ${limit.algorithm}; it is the capacity of a token_bucket`;
      return trace.issue(trace.spot(limit, 'burst'), message);
    });
}

/** Each once: routes of a group share theirs. */
function limitsOf(config: GatewayConfig): Set<RateLimitConfig> {
  const { rate_limit_global: global, rate_limit_per_user: user } = config;
  const ofUpstreams = Object.values(config.upstreams).map((upstream) => upstream.rate_limit);
  const ofKeys = config.auth.api_keys?.keys.map((key) => key.rate_limit) ?? [];
  const all = [
    global,
    user,
    ...ofUpstreams,
    ...ofKeys,
    ...config.routes.flatMap((route) => route.rate_limit),
  ];
  return new Set(all.filter((limit) => limit !== null));
}

function keyless({ auth: { api_keys: keys } }: GatewayConfig, trace: Trace): ConfigIssue[] {
  if (keys === null || keys.keys.length > 0) return [];
  return [trace.issue(trace.spot(keys, 'keys'), 'holds no key: every route with auth: api_key refuses all')];
}

function emptyLists({ routes }: GatewayConfig, trace: Trace): ConfigIssue[] {
  const lists = new Set(routes.flatMap(({ ip }) => ip ?? []));
  return [...lists]
    .filter(({ allow, deny }) => allow.length === 0 && deny.length === 0)
    .map((list) => trace.issue(trace.spot(list), 'names no address: everybody may pass'));
}
