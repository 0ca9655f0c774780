import { parseIPv6 } from '../common/ip-address.js';
import type { Exchange } from '../exchange/exchange.js';

/** Which bucket of a limit an exchange draws from. */
export type LimitKey = (exchange: Exchange) => string;

const groups = new Uint16Array(8);

/** The key of `rate_limit.by`. Throws a RangeError for one that is not built. */
export function limitKey(by: string): LimitKey {
  if (by === 'ip') return (exchange) => addressKey(exchange.clientIp);
  if (by === 'route') return () => '';
  throw new RangeError(`no such limit key: ${by}`);
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
