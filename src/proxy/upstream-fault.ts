import type { AnswerReason } from '../exchange/reasons.js';
import { Refusal } from '../exchange/refusal.js';

/** What the gateway or node would not write, or could not write whole: the client sent it. */
const THE_CLIENTS: ReadonlySet<string> = new Set([
  'INVALID_REQUEST',
  'REQUEST_BODY',
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
  if (THE_CLIENTS.has(codeOf(cause))) return 'bad_request';
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
