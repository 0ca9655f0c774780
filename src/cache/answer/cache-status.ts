import { removeLines } from '../../common/raw-headers.js';
import type { CacheStatus } from '../../exchange/exchange.js';
import type { Forwarded } from '../asked.js';

const X_CACHE: ReadonlySet<string> = new Set(['x-cache']);

/** Seconds of freshness that are left; negative for what is stale. */
function ttl(freshMs: number, ageMs: number): number {
  return Math.floor((freshMs - ageMs) / 1000);
}

/** `Cache-Status` of an answer that came out of the store (RFC 9211 §2.1). */
export function hitStatus(freshMs: number, ageMs: number): string {
  return `nexus; hit; ttl=${ttl(freshMs, ageMs)}`;
}

/** Of a stored answer that the upstream was asked about (RFC 9211 §2.3); `status` is what it said, 0 for nothing. */
export function validatedStatus(fwd: Forwarded, status: number, freshMs: number, ageMs: number): string {
  const said = status === 0 ? '' : `; fwd-status=${status}`;
  return `nexus; fwd=${fwd}${said}; ttl=${ttl(freshMs, ageMs)}`;
}

/** Of an answer that another request brought (RFC 9211 §2.7). */
export function collapsedStatus(fwd: Forwarded, freshMs: number, ageMs: number): string {
  return `nexus; fwd=${fwd}; ttl=${ttl(freshMs, ageMs)}; collapsed`;
}

/** Of the upstream's own answer (RFC 9211 §2.2, §2.6). */
export function forwardedStatus(fwd: Forwarded, stored: boolean): string {
  return stored ? `nexus; fwd=${fwd}; stored` : `nexus; fwd=${fwd}`;
}

/** Says so in the header lines of that answer. `X-Cache` is the gateway's alone; other caches' `Cache-Status` stays. */
export function markForwarded(lines: string[], status: string, cache: CacheStatus): void {
  removeLines(lines, X_CACHE);
  lines.push('Cache-Status', status, 'X-Cache', cache);
}
