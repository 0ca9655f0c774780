import { hash } from 'node:crypto';

import { parseIPv6 } from '../common/ip-address.js';
import { joinedHeader } from '../common/raw-headers.js';
import type { Exchange } from '../exchange/exchange.js';

/** Which bucket of a limit an exchange draws from; null when the limit does not concern it. */
export type LimitKey = (exchange: Exchange) => string | null;

/** Longest value that is a key as it stands; the key of a longer one is its digest. */
const LONGEST = 64;
const HEADER = 'header:';

const groups = new Uint16Array(8);

/** The key of `rate_limit.by`. Throws a RangeError for one that is unknown. */
export function limitKey(by: string): LimitKey {
  if (by === 'ip') return (exchange) => addressKey(exchange.clientIp);
  if (by === 'route') return () => '';
  if (by === 'user') return userKey;
  if (by === 'api_key') return apiKeyKey;
  if (by.startsWith(HEADER)) return headerKey(by.slice(HEADER.length).toLowerCase());
  throw new RangeError(`no such limit key: ${by}`);
}

/** Whether the key is known only after authentication. */
export function needsIdentity(by: string): boolean {
  return by === 'user' || by === 'api_key';
}

/** A token's subject and an API key's id may be the same text: they are not the same user. */
function userKey({ identity }: Exchange): string | null {
  return identity && `${identity.kind}:${bounded(identity.id)}`;
}

function apiKeyKey({ identity }: Exchange): string | null {
  return identity?.kind === 'api_key' ? identity.id : null;
}

/** Who sends no such header shares a bucket with all others who don't. Several lines are one value (RFC 9110 §5.3). */
function headerKey(lowerCaseName: string): LimitKey {
  return ({ head }) => {
    const value = joinedHeader(head.rawHeaders, lowerCaseName);
    return value === null ? '' : `=${bounded(value)}`;
  };
}

function bounded(value: string): string {
  return value.length <= LONGEST ? value : `sha256:${hash('sha256', value, 'base64url')}`;
}

/**
 * An IPv4 address as it is; of an IPv6 address the /64, which is what one client is given (RFC 6177): with the
 * whole address a client would have 2^64 buckets. `ip` as `normaliseIp` gives it.
 */
export function addressKey(ip: string): string {
  const colon = ip.indexOf(':');
  return colon === -1 ? ip : networkOf(ip, colon);
}

/** The first four groups. Mostly they stand at the front of the canonical text as they are. */
function networkOf(ip: string, firstColon: number): string {
  let colon = firstColon;
  for (let group = 1; group < 4; group++) {
    const next = ip.indexOf(':', colon + 1);
    if (next === colon + 1 || next === -1) return spelledOut(ip);
    colon = next;
  }
  return firstColon === 0 ? spelledOut(ip) : ip.slice(0, colon);
}

/** With `::` among the first four groups. */
function spelledOut(ip: string): string {
  return parseIPv6(ip, groups) ? `${hex(0)}:${hex(1)}:${hex(2)}:${hex(3)}` : ip;
}

function hex(group: number): string {
  return groups[group]!.toString(16);
}
