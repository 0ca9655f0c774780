import type { IncomingHttpHeaders } from 'node:http';

import type { Clock } from '../../common/clock.js';

/** The three forms of a date begin with a day's name (RFC 9110 §5.6.7); `Date.parse` takes far more for one. */
const DATE = /^(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? +[^ ]/;

/** What `Retry-After` asks for (RFC 9110 §10.2.3), in milliseconds from now; 0 when it says nothing that holds. */
export function retryAfterMs(headers: IncomingHttpHeaders, clock: Clock): number {
  const text = headers['retry-after'];
  // A repeated header, of which nobody knows which one is meant, is a list.
  if (typeof text !== 'string') return 0;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  if (!DATE.test(text)) return 0;
  // The oldest form names no zone, and means GMT all the same.
  const at = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? 0 : Math.max(0, at - clock.wall());
}
