import { joinedHeader, linesWithout } from '../../common/raw-headers.js';
import type { StoredResponse } from '../cache-store.js';

const CONDITIONS: ReadonlySet<string> = new Set(['if-none-match', 'if-modified-since']);

/** Whether the upstream can be asked if it still holds. */
export function isValidatable({ headers }: StoredResponse): boolean {
  return joinedHeader(headers, 'etag') !== null || joinedHeader(headers, 'last-modified') !== null;
}

/** The lines of a request without the client's own conditions. */
export function unconditional(lines: readonly string[]): string[] {
  return linesWithout(lines, CONDITIONS);
}

/** The lines of a request that asks whether the stored answer still holds (RFC 9111 §4.3.1). */
export function conditional(lines: readonly string[], { headers }: StoredResponse): string[] {
  const asking = unconditional(lines);
  const etag = joinedHeader(headers, 'etag');
  const modified = joinedHeader(headers, 'last-modified');
  if (etag !== null) asking.push('If-None-Match', etag);
  if (modified !== null) asking.push('If-Modified-Since', modified);
  return asking;
}
