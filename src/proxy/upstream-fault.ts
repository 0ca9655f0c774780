import type { AnswerReason } from '../exchange/reasons.js';
import { Refusal } from '../exchange/refusal.js';

const UNWRITABLE: ReadonlySet<string> = new Set([
  'INVALID_REQUEST',
  'ERR_INVALID_CHAR',
  'ERR_UNESCAPED_CHARACTERS',
]);

/** No final head came in time. The request may have been sent. */
export class ResponseTimeoutError extends Error {
  readonly code = 'RESPONSE_TIMEOUT';

  constructor() {
    super('timeout');
  }
}

const TIMEOUTS: ReadonlySet<string> = new Set(['CONNECT_TIMEOUT', 'RESPONSE_TIMEOUT', 'ETIMEDOUT']);

/** What connections, sockets and the dialer say when an attempt fails, as one of the gateway's reasons. */
export function reasonOf(cause: Error): AnswerReason {
  if (isTimeout(cause)) return 'upstream_timeout';
  // The gateway and node refuse to write what is not valid HTTP: the client sent it (RFC 9110 §5.5).
  if (UNWRITABLE.has(codeOf(cause))) return 'bad_request';
  return 'upstream_unavailable';
}

/** The client's own fault, which says nothing of the backend. */
export function isClients(cause: Error): boolean {
  return cause instanceof Refusal || reasonOf(cause) === 'bad_request';
}

export function isTimeout(cause: Error | null): boolean {
  return TIMEOUTS.has(codeOf(cause));
}

function codeOf(cause: Error | null): string {
  return cause !== null && 'code' in cause ? String(cause.code) : '';
}
