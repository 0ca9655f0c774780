import { withoutCookie } from '../common/cookies.js';
import type { Exchange } from '../exchange/exchange.js';
import type { CachePolicy } from './cache-policy.js';
import type { RequestFields } from './fields/request-fields.js';

/**
 * Whether a request carries credentials by which the upstream might answer it otherwise than others, and which its key
 * does not hold. `Authorization` is held by the identity only where that was read out of it.
 */
export function isCredentialed(exchange: Exchange, fields: RequestFields, policy: CachePolicy): boolean {
  const { identity } = exchange;
  const owned = policy.byIdentity ? identity : null;
  if (identity !== owned) return true;
  if (fields.hasAuthorization && owned?.kind !== 'jwt') return true;
  return policy.cookiesCount && fields.cookie !== null && hasForeignCookie(fields.cookie, exchange);
}

/** The cookie by which the gateway knows a client's backend never reaches one. */
function hasForeignCookie(cookie: string, { upstream }: Exchange): boolean {
  const own = upstream?.ownCookie ?? null;
  return own === null || withoutCookie(cookie, own) !== null;
}
