import type { IncomingMessage, ServerResponse } from 'node:http';

import { Refusal } from '../exchange/refusal.js';
import type { ClientConnection } from './client-connection.js';
import type { ScannedHead } from './request-head.js';

/** A request as node hands it over. */
export interface Received {
  readonly head: ScannedHead;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly client: ClientConnection;
}

/** Throws what the parser lets through and a gateway must not; then the connection ends where it has to. */
export function checkReceived(received: Received, maxUriLength: number): void {
  checkFraming(received);
  checkHead(received, maxUriLength);
}

/** Refuses what others may frame otherwise, and reads nothing behind it. */
function checkFraming({ head, request, response, client }: Received): void {
  const doubt = framingDoubt(head.transferEncoding, request);
  if (doubt === null) return;
  client.endWith(response);
  throw new Refusal('bad_request', { detail: doubt });
}

/** What the parser takes for well framed and the next hop might not (RFC 9112 §6.1). */
function framingDoubt(coding: string | null, request: IncomingMessage): string | null {
  // In a request line, the parser knows 0.9 and 2.0 too.
  if (request.httpVersionMajor !== 1) return 'this is not HTTP/1.1';
  if (coding === null) return null;
  const known = request.httpVersionMinor > 0 && coding.toLowerCase() === 'chunked';
  return known ? null : 'Transfer-Encoding must be chunked alone';
}

function checkHead({ head, request }: Received, maxUriLength: number): void {
  // RFC 9112 §3.2.
  // An empty one counts as none (docs/routing.md).
  if (head.hosts > 1 || (head.host === '' && request.httpVersionMinor > 0)) {
    throw new Refusal('bad_request', { detail: 'exactly one Host is required' });
  }
  // Beyond, a number no longer says every length exactly.
  if (head.contentLength > Number.MAX_SAFE_INTEGER) throw new Refusal('payload_too_large');
  if (head.target.length > maxUriLength) throw new Refusal('uri_too_long');
  if (head.expect !== null && head.expect.toLowerCase() !== '100-continue')
    throw new Refusal('expectation_failed');
}
