import { STATUS_CODES } from 'node:http';

import { linesWithout } from '../common/raw-headers.js';
import type { StatusEditConfig } from '../config/response.config.js';
import type { UpstreamHead } from '../exchange/response.js';

const LENGTH: ReadonlySet<string> = new Set(['content-length']);

export type StatusEdits = (head: UpstreamHead) => UpstreamHead;

/** Compiles `transform.response.status`; null where there is none. */
export function compileStatusEdits(edits: readonly StatusEditConfig[]): StatusEdits | null {
  if (edits.length === 0) return null;
  const statuses = new Map(edits.map(({ from, to }) => [from, to]));
  return (head) => {
    const status = statuses.get(head.status);
    if (status === undefined) return head;
    const mapped = { ...head, status, statusText: STATUS_CODES[status] ?? '' };
    return head.status === 204 || head.status === 205 ? withEmptyBody(mapped) : mapped;
  };
}

/** Its status said that there is no body; now the length has to (RFC 9112 §6.3). */
function withEmptyBody(head: UpstreamHead): UpstreamHead {
  const headers = linesWithout(head.headers, LENGTH);
  headers.push('Content-Length', '0');
  return { ...head, headers, contentLength: 0 };
}
