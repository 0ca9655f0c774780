import type { AuthPolicy } from '../auth.config.js';
import type { Draft } from '../draft.js';
import type { RateLimitConfig } from '../rate-limit.config.js';
import type { RouteConfig } from '../route.config.js';
import { shown } from '../secrets.js';

/** Limits that need something of the rest of the document. */
export function checkLimits(draft: Draft): void {
  const { document, routes } = draft;
  const globals = [
    document.rate_limit_global,
    document.rate_limit_per_user,
    document.rate_limit_per_upstream,
  ];
  for (const limit of globals) {
    if (limit) checkGlobal(draft, limit);
  }
  for (const route of routes) for (const limit of route.rate_limit) checkOfRoute(draft, limit, route);
  for (const { rate_limit: limit } of document.auth.api_keys?.keys ?? []) if (limit) checkStore(draft, limit);
}

function checkGlobal(draft: Draft, limit: RateLimitConfig): void {
  checkStore(draft, limit);
  const { jwt, api_keys: keys } = draft.document.auth;
  if ((limit.by === 'user' && !jwt && !keys) || (limit.by === 'api_key' && !keys)) {
    draft.report.at(
      limit,
      'by',
      `${shown(limit, 'by')} is known to no route, expected auth.jwt or auth.api_keys`,
    );
  }
}

function checkOfRoute(draft: Draft, limit: RateLimitConfig, route: RouteConfig): void {
  checkStore(draft, limit);
  const fits =
    limit.by === 'user' ? route.auth !== 'none' : limit.by !== 'api_key' || takes(route.auth, 'api_key');
  if (fits) return;
  const expected = limit.by === 'user' ? 'jwt or api_key' : 'api_key';
  draft.report.at(
    limit,
    'by',
    `${shown(limit, 'by')} is not known on this route, expected auth: ${expected} there`,
  );
}

function checkStore({ document, report }: Draft, limit: RateLimitConfig): void {
  if (limit.store === 'redis' && !document.redis) {
    report.at(limit, 'store', 'redis is not configured, expected the key redis in the document');
  }
}

/** Whether a policy accepts this kind of credential. */
export function takes(policy: AuthPolicy, kind: 'jwt' | 'api_key'): boolean {
  return policy === kind || (Array.isArray(policy) && policy.includes(kind));
}
