import { joinedHeader, linesWithout } from '../../common/raw-headers.js';
import type { CacheStatus } from '../../exchange/exchange.js';
import type { UpstreamHead } from '../../exchange/response.js';
import type { Asked } from '../asked.js';
import type { StoredResponse } from '../cache-store.js';
import { isBodiless } from '../rules/bodiless.js';
import { isNotModified, isRangeWanted } from '../rules/conditions.js';
import { rangeOf } from '../rules/ranges.js';

/** How a stored answer came to be this one's. */
export interface Served {
  readonly cache: CacheStatus;
  /** Value of `Cache-Status`. */
  readonly status: string;
  readonly ageMs: number;
  /** Wall-clock milliseconds. */
  readonly now: number;
  /** Lines for this client alone: name, value, … */
  readonly extra?: readonly string[];
}

/** What a 304 says nothing of (RFC 9110 §15.4.5). */
const REPRESENTATION: ReadonlySet<string> = new Set([
  'content-encoding',
  'content-language',
  'content-length',
  'content-md5',
  'content-range',
  'content-type',
]);
const LENGTH: ReadonlySet<string> = new Set(['content-length', 'content-range']);
const NOTHING = Buffer.alloc(0);

/** Answers with what is stored: whole, a part, or only that it did not change. The writer gets all of it in one turn. */
export function answerWith(stored: StoredResponse, asked: Asked, served: Served): void {
  const { exchange, sink } = asked;
  exchange.cache = served.cache;
  const isGet = exchange.head.method === 'GET';
  const answer = answerOf(stored, asked, served.now);
  const { headers } = answer.head;
  headers.push('Age', String(Math.max(0, Math.floor(served.ageMs / 1000))));
  headers.push('Cache-Status', served.status, 'X-Cache', served.cache);
  if (served.extra !== undefined) headers.push(...served.extra);
  sink.head(answer.head);
  if (isGet && answer.body.length > 0) sink.data(answer.body);
  sink.end(null);
}

interface Answer {
  readonly head: UpstreamHead;
  readonly body: Buffer;
}

function answerOf(stored: StoredResponse, { exchange, fields }: Asked, now: number): Answer {
  if (fields.isConditional && isNotModified(stored, fields, now)) return notModified(stored);
  // RFC 9110 §14.2: a range is for GET alone.
  if (exchange.head.method !== 'GET' || fields.range === null) return whole(stored);
  if (stored.status !== 200 || !isRangeWanted(stored, fields)) return whole(stored);
  return part(stored, fields.range) ?? whole(stored);
}

function whole({ status, statusText, headers, body }: StoredResponse): Answer {
  const contentLength = isBodiless(status) ? -1 : body.length;
  return { head: { status, statusText, headers: headers.slice(), contentLength }, body };
}

function notModified({ headers }: StoredResponse): Answer {
  const kept = linesWithout(headers, REPRESENTATION);
  return {
    head: { status: 304, statusText: 'Not Modified', headers: kept, contentLength: -1 },
    body: NOTHING,
  };
}

/** Null where the whole is to be sent (RFC 9110 §14.2). */
function part(stored: StoredResponse, asked: string): Answer | null {
  const { body } = stored;
  const range = rangeOf(asked, body.length);
  // A body that says itself to be a part has other borders.
  if (range === null || joinedHeader(stored.headers, 'content-range') !== null) return null;
  if (range === 'unsatisfiable') return unsatisfiable(stored);
  const bytes = body.subarray(range.first, range.last + 1);
  const headers = linesWithout(stored.headers, LENGTH);
  headers.push('Content-Range', `bytes ${range.first}-${range.last}/${body.length}`);
  headers.push('Content-Length', String(bytes.length));
  return {
    head: { status: 206, statusText: 'Partial Content', headers, contentLength: bytes.length },
    body: bytes,
  };
}

function unsatisfiable({ headers, body }: StoredResponse): Answer {
  const lines = linesWithout(headers, REPRESENTATION);
  lines.push('Content-Range', `bytes */${body.length}`, 'Content-Length', '0');
  return {
    head: { status: 416, statusText: 'Range Not Satisfiable', headers: lines, contentLength: 0 },
    body: NOTHING,
  };
}
