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
 * whole address a client would have 2^64 buckets.
 */
export function addressKey(ip: string): string {
  if (!ip.includes(':') || !parseIPv6(ip, groups)) return ip;
  return `${hex(0)}:${hex(1)}:${hex(2)}:${hex(3)}::/64`;
}

function hex(group: number): string {
  return groups[group]!.toString(16);
}
