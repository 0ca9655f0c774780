import type { IncomingHttpHeaders } from 'node:http';

import type { Clock } from '../../common/clock.js';
import { parseHttpDate } from '../../common/http-date.js';

/** What `Retry-After` asks for (RFC 9110 §10.2.3), in milliseconds from now; 0 when it says nothing that holds. */
export function retryAfterMs(headers: IncomingHttpHeaders, clock: Clock): number {
  const text = headers['retry-after'];
  // A repeated header, of which nobody knows which one is meant, is a list.
  if (typeof text !== 'string') return 0;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const now = clock.wall();
  const at = parseHttpDate(text, now);
  return at === null ? 0 : Math.max(0, at - now);
}
