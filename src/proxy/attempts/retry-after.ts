import type { IncomingHttpHeaders } from 'node:http';

import type { Clock } from '../../common/clock.js';

/** What `Retry-After` asks for (RFC 9110 §10.2.3), in milliseconds from now; 0 when it says nothing that holds. */
export function retryAfterMs(headers: IncomingHttpHeaders, clock: Clock): number {
  const text = headers['retry-after'];
  if (text === undefined) return 0;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? 0 : Math.max(0, at - clock.wall());
}
