import type { Clock } from '../../common/clock.js';
import { parseHttpDate } from '../../common/http-date.js';
import { soleHeader } from '../../common/raw-headers.js';

/** What `Retry-After` asks for (RFC 9110 §10.2.3), in milliseconds from now; 0 when it says nothing that holds. */
export function retryAfterMs(fields: readonly string[], clock: Clock): number {
  // Of a repeated header nobody knows which one is meant.
  const text = soleHeader(fields, 'retry-after');
  if (text === null) return 0;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const now = clock.wall();
  const at = parseHttpDate(text, now);
  return at === null ? 0 : Math.max(0, at - now);
}
