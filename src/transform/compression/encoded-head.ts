import { indexOfHeader, joinedHeader, linesWithout } from '../../common/raw-headers.js';
import type { UpstreamHead } from '../../exchange/response.js';
import type { Coding } from './accept-encoding.js';

/**
 * Fields that speak of the bytes as they were: their length, their digests (RFC 9530 §2, §3: a coding makes another
 * representation), and ranges, which nobody could cut out of the new ones.
 */
const OF_THE_BYTES: ReadonlySet<string> = new Set([
  'accept-ranges',
  'content-digest',
  'content-length',
  'content-md5',
  'digest',
  'repr-digest',
]);

/** The head of the answer once its body is in that coding. */
export function encodedHead(head: UpstreamHead, coding: Coding): UpstreamHead {
  const headers: string[] = [];
  for (let at = 0; at < head.headers.length; at += 2) {
    const name = head.headers[at]!;
    const lower = name.toLowerCase();
    const value = head.headers[at + 1]!;
    if (!OF_THE_BYTES.has(lower)) headers.push(name, lower === 'etag' ? weakTag(value) : value);
  }
  headers.push('Content-Encoding', coding);
  return { ...head, headers, contentLength: -1 };
}

/** The head of an answer that another client would get in another coding (RFC 9110 §12.5.5). */
export function varyingHead(head: UpstreamHead): UpstreamHead {
  const vary = joinedHeader(head.headers, 'vary');
  if (vary !== null && /(?:^|[,\s])(?:\*|accept-encoding)(?:$|[,\s])/i.test(vary)) return head;
  const headers = head.headers.slice();
  const at = indexOfHeader(headers, 'vary');
  if (at < 0) headers.push('Vary', 'Accept-Encoding');
  else headers[at + 1] = headers[at + 1] === '' ? 'Accept-Encoding' : `${headers[at + 1]}, Accept-Encoding`;
  return { ...head, headers };
}

/**
 * The head of a 304 for a client that has the answer with the weak tag it was given here: it must find the same one
 * (RFC 9111 §4.3.4).
 */
export function revalidatedHead(head: UpstreamHead, ifNoneMatch: string): UpstreamHead {
  const at = indexOfHeader(head.headers, 'etag');
  const tag = at < 0 ? 'W/' : head.headers[at + 1]!;
  if (tag.startsWith('W/') || !ifNoneMatch.includes(weakTag(tag))) return head;
  const headers = head.headers.slice();
  headers[at + 1] = weakTag(tag);
  return varyingHead({ ...head, headers });
}

/** Trailers of the answer once its body is in another coding. */
export function encodedTrailers(trailers: readonly string[] | null): readonly string[] | null {
  return trailers && linesWithout(trailers, OF_THE_BYTES);
}

/** RFC 9110 §8.8.3.3: the same tag on other bytes can be a weak one alone. */
function weakTag(tag: string): string {
  return tag.startsWith('W/') ? tag : `W/${tag}`;
}
