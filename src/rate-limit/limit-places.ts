import type { AuthPolicy } from '../config/auth.config.js';
import type { GatewayConfig } from '../config/gateway.config.js';
import type { RateLimitConfig } from '../config/rate-limit.config.js';
import type { RouteConfig } from '../config/route.config.js';
import { needsIdentity } from './limit-key.js';

/** A limit where the document has it. */
export interface PlacedLimit {
  readonly config: Readonly<RateLimitConfig>;
  /** As headers, log lines and metrics call it. */
  readonly name: string;
  readonly id: string;
}

type Route = Readonly<RouteConfig>;
type Document = Readonly<GatewayConfig>;

/** The limits of a route that are judged before authentication: its own, then those over everything. */
export function limitsBeforeIdentity(route: Route, document: Document): PlacedLimit[] {
  return [...ownLimits(route), ...overallLimits(document)].filter(({ config }) => !needsIdentity(config.by));
}

/** Those judged once it is known who sends the request. On a route that authenticates nobody it never is. */
export function limitsByIdentity(route: Route, document: Document): PlacedLimit[] {
  if (route.auth === 'none') return [];
  return [...ownLimits(route), ...overallLimits(document)].filter(({ config }) => needsIdentity(config.by));
}

/** The limits that single API keys have, where the route takes keys; by the key's id. */
export function limitsOfKeys(policy: AuthPolicy, document: Document): Map<string, PlacedLimit> {
  const limits = new Map<string, PlacedLimit>();
  if (policy !== 'api_key' && !policy.includes('api_key')) return limits;
  for (const { id, rate_limit: config } of document.auth.api_keys?.keys ?? []) {
    if (config) limits.set(id, { config, name: 'key', id: `#key ${id}` });
  }
  return limits;
}

/** The limit of an upstream. */
export function limitOfUpstream(upstream: string, document: Document): PlacedLimit | null {
  const config = document.upstreams[upstream]?.rate_limit;
  return config ? { config, name: 'upstream', id: `#upstream ${upstream}` } : null;
}

/** The upstreams that a route may send exchanges to. */
export function upstreamsOf({ upstream, split }: Route): Set<string> {
  return new Set([upstream, ...(split ?? []).map((share) => share.upstream)].filter((name) => name !== null));
}

function ownLimits({ id, rate_limit }: Route): PlacedLimit[] {
  return rate_limit.map((config, at) => ({
    config,
    name: at === 0 ? 'default' : `default-${at + 1}`,
    id: `${id}#${at}`,
  }));
}

function overallLimits({ rate_limit_global, rate_limit_per_user }: Document): PlacedLimit[] {
  const limits: PlacedLimit[] = [];
  if (rate_limit_global) limits.push({ config: rate_limit_global, name: 'global', id: '#global' });
  if (rate_limit_per_user) limits.push({ config: rate_limit_per_user, name: 'user', id: '#user' });
  return limits;
}
