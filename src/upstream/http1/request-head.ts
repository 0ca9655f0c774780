import type { UpstreamRequest } from '../../exchange/upstream.js';
import { InvalidRequestError } from './faults.js';

/** What a target or a Host may be made of, so that neither ends its line (RFC 9112 §3, §3.2). */
const PLAIN = /^[\x21-\x7e\x80-\xff]+$/;
/** RFC 9110 §9.1. */
const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Methods that say something by having no body (RFC 9110 §8.6). */
const EXPECT_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'QUERY', 'PROPFIND', 'PROPPATCH']);

/** Whether a server expects a body with this method. One with another method can confuse what comes behind it. */
export function expectsBody(method: string): boolean {
  return EXPECT_BODY.has(method);
}

/**
 * The request line and the fields, without what frames the body and without the empty line.
 * @param authority the backend's own, where the request says no Host
 * @param lines fields that are known to be valid (docs/decisions/0016-http1-client.md)
 * @throws InvalidRequestError
 */
export function requestHead(
  { method, path, host }: UpstreamRequest,
  authority: string,
  lines: readonly string[],
  closes: boolean,
): string {
  if (!METHOD.test(method)) throw new InvalidRequestError('method');
  if (!PLAIN.test(path)) throw new InvalidRequestError('target');
  if (host !== null && !PLAIN.test(host)) throw new InvalidRequestError('Host');
  const connection = closes ? 'close' : 'keep-alive';
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${host ?? authority}\r\nconnection: ${connection}\r\n`;
  for (let at = 0; at < lines.length; at += 2) text += `${lines[at]!}: ${lines[at + 1]!}\r\n`;
  return text;
}

/** The end of a head in front of a body of so many bytes; of one without a body where that says the same. */
export function lengthEnding(method: string, length: number): string {
  return length > 0 || expectsBody(method) ? `content-length: ${length}\r\n\r\n` : '\r\n';
}

export const CHUNKED_ENDING = 'transfer-encoding: chunked\r\n\r\n';
