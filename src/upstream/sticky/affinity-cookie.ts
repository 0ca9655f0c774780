import { cookieValue } from '../../common/cookies.js';
import type { Exchange } from '../../exchange/exchange.js';
import { type Claim, readClaim } from './affinity.js';

/** Between the entries of one cookie: upstreams of one host that share the cookie's name share the cookie. */
const BETWEEN = '~';
/** Entries that are written into one cookie. */
const MOST = 8;
/** No `ttl` is longer (596h), so what lasts longer than these seconds is nobody's entry. */
const LONGEST = 30 * 24 * 3_600;

/**
 * What the client's cookie of this name claims, all of it: what others wrote in front must not hide an entry. The first
 * `Cookie` line that has one counts.
 */
export function claimsOf({ head: { rawHeaders } }: Exchange, cookie: string): Claim[] {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]!.toLowerCase() !== 'cookie') continue;
    const value = cookieValue(rawHeaders[at + 1]!, cookie);
    if (value !== null) return readClaims(value);
  }
  return [];
}

function readClaims(value: string): Claim[] {
  return value
    .split(BETWEEN)
    .map(readClaim)
    .filter((claim) => claim !== null);
}

/**
 * The `Set-Cookie` line (RFC 6265 §4.1) that ties a client to a backend.
 * @param others what the cookie says of other upstreams, to be kept: nobody can check it here
 * @param now seconds since the Unix epoch
 */
export function setCookie(
  cookie: string,
  mine: Claim,
  others: readonly Claim[],
  { now, secure }: { readonly now: number; readonly secure: boolean },
): string {
  const credible = others.filter(({ expiresAt }) => expiresAt > now && expiresAt - now <= LONGEST);
  const claims = [mine, ...onePerUpstream(credible)].slice(0, MOST);
  const value = claims.map(({ text }) => text).join(BETWEEN);
  const age = Math.max(...claims.map(({ expiresAt }) => expiresAt)) - now;
  const line = `${cookie}=${value}; Max-Age=${age}; Path=/; HttpOnly; SameSite=Lax`;
  return secure ? `${line}; Secure` : line;
}

/** The first of each: only that one is read. */
function onePerUpstream(claims: readonly Claim[]): Claim[] {
  const seen = new Set<string>();
  return claims.filter(({ upstream }) => !seen.has(upstream) && seen.add(upstream));
}

/** Whether the client itself came over TLS, to the gateway or to the trusted proxy in front of it. */
export function cameSecurely({ raw, peerTrusted }: Exchange): boolean {
  const { headers, socket } = raw!;
  const told = peerTrusted ? headers['x-forwarded-proto'] : undefined;
  if (typeof told === 'string' && /^(?:http|ws)s?$/i.test(told)) return /s$/i.test(told);
  return 'encrypted' in socket;
}
