import { joinedHeader } from '../common/raw-headers.js';
import type { UpstreamHead } from '../exchange/response.js';
import type { ReceivedHead } from '../exchange/upstream.js';
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
 * @param mayTrail the client can be sent trailers: it speaks HTTP/1.1 and the answer may have a body
 */
export function clientHead(received: ReceivedHead, mayTrail = true): UpstreamHead {
  const { status, statusText, fields, contentLength } = received;
  const named = connectionNamed(received.connection);
  const trailers = mayTrail && contentLength < 0 && !isBodiless(status);
  const headers: string[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at]!;
    if (named !== null || LENGTHS.has(name.length)) {
      const lower = name.toLowerCase();
      if (named?.has(lower) && lower !== 'content-length') continue;
      if (staysHere(lower, status, trailers)) continue;
    }
    headers.push(name, fields[at + 1]!);
  }
  const length = isLengthless(status) ? -1 : contentLength;
  return { status, statusText: plainPhrase(statusText), headers, contentLength: length };
}

/** Whether a field is between the backend and the gateway alone. */
function staysHere(lower: string, status: number, trailers: boolean): boolean {
  if (lower === 'content-length') return isLengthless(status);
  // Trailers exist in chunked messages alone; node refuses to announce them anywhere else.
  if (lower === 'trailer') return !trailers;
  return HOP_BY_HOP.has(lower) || OWN_HEADERS.has(lower);
}

/** Whatever length such an answer says, the gateway says none or its own. */
function isLengthless(status: number): boolean {
  return status === 204 || status === 205;
}

function plainPhrase(statusText: string): string {
  return PHRASE.test(statusText) ? statusText : '';
}

/** Statuses whose answers have no body, whatever their headers say (RFC 9110 §15). */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

/**
 * Whether the body's end could be told from its headers: a transfer coding other than chunked would reach the
 * client undecoded and unannounced (RFC 9112 §6.1).
 */
export function isReadable({ transferEncoding }: ReceivedHead): boolean {
  return transferEncoding === null || transferEncoding.toLowerCase() === 'chunked';
}

/** An answer that may never end. */
export function isEventStream({ fields }: ReceivedHead): boolean {
  return joinedHeader(fields, 'content-type')?.startsWith('text/event-stream') ?? false;
}

/** The trailer fields that may be passed on, as node's `addTrailers` takes them. */
export function clientTrailers(raw: readonly string[]): [string, string][] {
  const trailers: [string, string][] = [];
  for (let at = 0; at < raw.length; at += 2) {
    if (!isForbiddenTrailer(raw[at]!.toLowerCase())) trailers.push([raw[at]!, raw[at + 1]!]);
  }
  return trailers;
}
