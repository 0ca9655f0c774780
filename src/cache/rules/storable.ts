import { STATUS_CODES } from 'node:http';

import type { CachePolicy } from '../cache-policy.js';
import type { ResponseFields } from '../fields/response-fields.js';
import { type ExchangeTimes, isShared, type Timing, timingOf } from './freshness.js';
import { isAnyVary } from './vary.js';

/** What decides about storing beside the answer itself. */
export interface StoreFacts {
  readonly policy: CachePolicy;
  /** The request carried credentials that do not tell its entries apart from others'. */
  readonly isCredentialed: boolean;
  /** The request went out with conditions or a range of the client's own. */
  readonly isPartial: boolean;
  readonly times: ExchangeTimes;
}

export interface AnswerHead {
  readonly status: number;
  /** Bytes; -1 = not announced. */
  readonly contentLength: number;
}

/** How long the answer to a GET may be used; null when it must not be stored (RFC 9111 §3). */
export function storableTiming(head: AnswerHead, fields: ResponseFields, facts: StoreFacts): Timing | null {
  if (!isWhole(head.status, facts.isPartial) || head.contentLength > facts.policy.maxEntrySize) return null;
  if (isForbidden(head.status, fields)) return null;
  if (facts.isCredentialed && !isShared(fields)) return null;
  const timing = timingOf(head.status, fields, facts.policy, facts.times);
  return timing !== null && isUseful(timing, fields) ? timing : null;
}

/** Answers to a part of a request: 206 and 416 to its range, 304 and 412 to its conditions (RFC 9110 §13, §14). */
const OF_A_REQUEST: ReadonlySet<number> = new Set([206, 304, 412, 416]);

/** Whether others would be answered the same: an error may be about a range or a condition with any status. */
function isWhole(status: number, isPartial: boolean): boolean {
  return status >= 200 && !OF_A_REQUEST.has(status) && !(isPartial && status >= 400);
}

function isForbidden(status: number, fields: ResponseFields): boolean {
  const { control, vary, contentType } = fields;
  if (control.isPlain('private') || fields.setsCookies || (vary !== null && isAnyVary(vary))) return true;
  if (contentType?.toLowerCase().startsWith('text/event-stream')) return true;
  // Who understands the status does what is said beside `no-store` (RFC 9111 §5.2.2.3).
  if (control.has('must-understand')) return STATUS_CODES[status] === undefined;
  return control.has('no-store');
}

/** What is never fresh is kept for validation, or to be served stale. */
function isUseful(timing: Timing, { etag, lastModified }: ResponseFields): boolean {
  if (etag !== null || lastModified !== null) return true;
  if (timing.alwaysValidate) return false;
  return timing.freshMs > 0 || timing.staleWhileRevalidateMs > 0 || timing.staleIfErrorMs > 0;
}
