import { withoutCookie } from '../common/cookies.js';
import type { Exchange } from '../exchange/exchange.js';
import type { CachePolicy } from './cache-policy.js';
import type { RequestFields } from './fields/request-fields.js';

/**
 * Whether a request carries credentials by which the upstream might answer it otherwise than others, and which its key
 * does not hold: RFC 9111 §3.5 says it of `Authorization`, and whatever else tells an upstream who is asking counts
 * like it. The key holds what the gateway tells (`told-identity.ts`), and what the client sent only where its identity
 * was read out of that.
 */
export function isCredentialed(exchange: Exchange, fields: RequestFields, policy: CachePolicy): boolean {
  if (!policy.byIdentity && isTold(exchange)) return true;
  const owned = policy.byIdentity ? exchange.identity?.kind : undefined;
  if (fields.hasAuthorization && owned !== 'jwt') return true;
  if (policy.forwardedKeys !== null && owned !== 'api_key' && policy.forwardedKeys.isIn(exchange))
    return true;
  return policy.cookiesCount && fields.cookie !== null && hasForeignCookie(fields.cookie, exchange);
}

/** Whether the gateway knows, or tells the upstream, who is asking. */
function isTold({ identity, upstreamHeaders, clientCertificate }: Exchange): boolean {
  return identity !== null || upstreamHeaders !== null || clientCertificate !== null;
}

/** The cookie by which the gateway knows a client's backend never reaches one. */
function hasForeignCookie(cookie: string, { upstream }: Exchange): boolean {
  const own = upstream?.ownCookie ?? null;
  return own === null || withoutCookie(cookie, own) !== null;
}
