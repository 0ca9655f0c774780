import { STATUS_CODES } from 'node:http';

import { checkRawHeaders } from '../../exchange/header-list.js';
import type { UpstreamHead } from '../../exchange/response.js';
import type { UpstreamResponse } from '../../exchange/upstream-response.js';
import { HOP_BY_HOP } from '../hop-by-hop.js';
import { OWN_HEADERS } from '../own-headers.js';
import { isBodiless } from '../response-headers.js';

/** What the upstream said of a body that is passed on as it came. */
export interface BodyOrigin {
  readonly status: number;
  /** Bytes; -1 = not announced. */
  readonly contentLength: number;
}

export interface AnswerFacts {
  readonly method: string;
  /** Length of a body that is there whole; null for a stream. */
  readonly bytes: number | null;
  /** Null when the body is not the upstream's own. */
  readonly origin: BodyOrigin | null;
}

/** What the writer says itself, and what belongs to the connection. */
const WITHHELD: ReadonlySet<string> = new Set([...HOP_BY_HOP, ...OWN_HEADERS]);
/** A reason phrase that node will write (RFC 9112 §4). */
const PHRASE = /^[\t\x20-\x7e]+$/;

/**
 * The head for the client of what the interceptors emitted. Its length follows the body that is really sent, whatever
 * an interceptor wrote (RFC 9112 §6.3). Throws a TypeError for what cannot be sent.
 */
export function answerHead(response: UpstreamResponse, facts: AnswerFacts): UpstreamHead {
  const { status, statusText } = response;
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw new TypeError(`no status of a response: ${status}`);
  const contentLength = lengthOf(status, facts);
  return {
    status,
    statusText: PHRASE.test(statusText) ? statusText : (STATUS_CODES[status] ?? ''),
    headers: clientHeaders(response.headers.toRaw(), contentLength, facts.origin !== null),
    contentLength,
  };
}

/** -1 = to be told by chunks, or not at all. */
function lengthOf(status: number, { method, bytes, origin }: AnswerFacts): number {
  // A status without a body made one with, or the other way round: its length was that of nothing.
  if (origin !== null) return isBodiless(status) === isBodiless(origin.status) ? origin.contentLength : -1;
  if (bytes === null || isBodiless(status)) return -1;
  return bytes === 0 && method === 'HEAD' ? -1 : bytes;
}

function clientHeaders(raw: readonly string[], contentLength: number, isOriginal: boolean): string[] {
  checkRawHeaders(raw);
  const headers: string[] = [];
  let told = contentLength < 0;
  for (let at = 0; at < raw.length; at += 2) {
    const lower = raw[at]!.toLowerCase();
    if (WITHHELD.has(lower) || (lower === 'trailer' && !isOriginal)) continue;
    if (lower !== 'content-length') headers.push(raw[at]!, raw[at + 1]!);
    else if (!told) {
      told = true;
      headers.push(raw[at]!, String(contentLength));
    }
  }
  if (!told) headers.push('Content-Length', String(contentLength));
  return headers;
}
