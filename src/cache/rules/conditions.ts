import { joinedHeader } from '../../common/raw-headers.js';
import type { StoredResponse } from '../cache-store.js';
import { parseHttpDate } from '../../common/http-date.js';
import type { RequestFields } from '../fields/request-fields.js';

/** Whether the client has what is stored already (RFC 9111 §4.3.2, RFC 9110 §13.2.2). */
export function isNotModified(stored: StoredResponse, request: RequestFields, now: number): boolean {
  if (stored.status !== 200) return false;
  if (request.ifNoneMatch !== null) return hasTag(request.ifNoneMatch, joinedHeader(stored.headers, 'etag'));
  if (request.ifModifiedSince === null) return false;
  const since = parseHttpDate(request.ifModifiedSince, now);
  const text = joinedHeader(stored.headers, 'last-modified') ?? joinedHeader(stored.headers, 'date');
  const modified = text === null ? null : parseHttpDate(text, now);
  return since !== null && modified !== null && modified <= since;
}

/** Whether a range of what is stored may be sent (RFC 9110 §13.1.5): by a strong tag or the very date. */
export function isRangeWanted(stored: StoredResponse, { ifRange }: RequestFields): boolean {
  if (ifRange === null) return true;
  if (ifRange.startsWith('"')) return ifRange === joinedHeader(stored.headers, 'etag');
  return ifRange === joinedHeader(stored.headers, 'last-modified');
}

/** Whether one of the listed tags is the same but for weakness (RFC 9110 §8.8.3.2). */
export function hasTag(list: string, tag: string | null): boolean {
  if (list.trim() === '*') return true;
  if (tag === null) return false;
  const own = opaque(tag);
  return tagsIn(list).some((other) => opaque(other) === own);
}

function tagsIn(list: string): string[] {
  return list.match(/(?:W\/)?"[^"]*"|[^\s,]+/g) ?? [];
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}
