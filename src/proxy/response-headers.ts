import type { IncomingHttpHeaders } from 'node:http';

import type { UpstreamHead } from '../exchange/response.js';
import { connectionNamed, HOP_BY_HOP, isForbiddenTrailer } from './hop-by-hop.js';
import { OWN_HEADERS } from './own-headers.js';

/** A reason phrase that node will write (RFC 9112 §4). */
const PHRASE = /^[\t\x20-\x7e]*$/;
/** Only names of these lengths need a closer look. */
const LENGTHS: ReadonlySet<number> = new Set(
  [...HOP_BY_HOP, ...OWN_HEADERS, 'trailer', 'content-length'].map((n) => n.length),
);

/**
 * The head as the client may see it: end-to-end fields with bytes, order and repetition unchanged.
 *
 * @param raw name, value, name, value, … as undici's parser cut them out of the socket's bytes
 * @param parsed the same by lower-case name
 * @param mayTrail the client can be sent trailers: it speaks HTTP/1.1 and the answer may have a body
 */
export function clientHead(
  status: number,
  statusText: string,
  raw: readonly Buffer[],
  parsed: IncomingHttpHeaders,
  mayTrail = true,
): UpstreamHead {
  const named = connectionNamed(parsed.connection);
  const trailers = mayTrail && isChunked(status, parsed);
  const headers: string[] = [];
  let contentLength = -1;
  for (let at = 0; at < raw.length; at += 2) {
    const name = latin1(raw[at]!);
    const value = latin1(raw[at + 1]!);
    if (named !== null || LENGTHS.has(name.length)) {
      const lower = name.toLowerCase();
      if (lower === 'content-length') {
        if (status === 204 || status === 205) continue;
        contentLength = Number(value);
      } else if (HOP_BY_HOP.has(lower) || OWN_HEADERS.has(lower) || named?.has(lower)) continue;
      else if (lower === 'trailer' && !trailers) continue;
    }
    headers.push(name, value);
  }
  return { status, statusText: plainPhrase(statusText), headers, contentLength };
}

function plainPhrase(statusText: string): string {
  return PHRASE.test(statusText) ? statusText : '';
}

/** Trailers exist in chunked messages alone; node refuses to announce them anywhere else. */
function isChunked(status: number, parsed: IncomingHttpHeaders): boolean {
  return parsed['content-length'] === undefined && !isBodiless(status);
}

/** Statuses whose answers have no body, whatever their headers say (RFC 9110 §15). */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

/**
 * Whether the body's end could be told from its headers: a transfer coding other than chunked would reach the
 * client undecoded and unannounced (RFC 9112 §6.1).
 */
export function isReadable(parsed: IncomingHttpHeaders): boolean {
  const coding = parsed['transfer-encoding'];
  return coding === undefined || (typeof coding === 'string' && coding.toLowerCase() === 'chunked');
}

/** An answer that may never end. */
export function isEventStream(headers: IncomingHttpHeaders): boolean {
  return headers['content-type']?.startsWith('text/event-stream') ?? false;
}

/** The trailer fields that may be passed on, as node's `addTrailers` takes them. */
export function clientTrailers(raw: readonly string[]): [string, string][] {
  const trailers: [string, string][] = [];
  for (let at = 0; at < raw.length; at += 2) {
    if (!isForbiddenTrailer(raw[at]!.toLowerCase())) trailers.push([raw[at]!, raw[at + 1]!]);
  }
  return trailers;
}

/** Node's `latin1Slice` is the plain form of `toString('latin1')`, without its argument checks. */
export function latin1(bytes: Buffer): string {
  return (bytes as Buffer & { latin1Slice(start: number, end: number): string }).latin1Slice(0, bytes.length);
}
