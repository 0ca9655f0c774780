import type { StoredResponse } from '../cache-store.js';
import type { Directives } from '../fields/cache-control.js';

/**
 * What may be done with a stored answer: serve it as fresh; serve it stale; serve it stale and fetch a new one
 * (RFC 5861 §3); ask the upstream because it is stale, or because the client wants that.
 */
export type Verdict = 'fresh' | 'stale' | 'refresh' | 'validate' | 'asked';

/**
 * @param ageMs the answer's age now (RFC 9111 §4.2.3)
 * @param control what the client said (RFC 9111 §5.2.1); null for nothing
 */
export function verdictOf(stored: StoredResponse, ageMs: number, control: Directives | null): Verdict {
  const leftMs = stored.freshMs - ageMs;
  if (control !== null && wantsNewer(control, ageMs, leftMs)) return 'asked';
  if (stored.alwaysValidate) return 'validate';
  if (leftMs > 0) return 'fresh';
  if (stored.neverStale) return 'validate';
  if (control !== null && takesStale(control, -leftMs)) return 'stale';
  return -leftMs < stored.staleWhileRevalidateMs ? 'refresh' : 'validate';
}

/** Whether it may stand in for an upstream that fails (RFC 9111 §4.2.4, RFC 5861 §4). */
export function mayCoverErrors(stored: StoredResponse, ageMs: number, control: Directives | null): boolean {
  if (stored.alwaysValidate || stored.neverStale || control?.has('no-cache')) return false;
  return ageMs < stored.freshMs + stored.staleIfErrorMs;
}

/** Whether asking the upstream anew is the rule for it: concurrent requests gain nothing by waiting. */
export function isNeverFresh(stored: Pick<StoredResponse, 'alwaysValidate' | 'freshMs'>): boolean {
  return stored.alwaysValidate || stored.freshMs <= 0;
}

function wantsNewer(control: Directives, ageMs: number, leftMs: number): boolean {
  if (control.has('no-cache')) return true;
  const maxAge = control.seconds('max-age');
  if (maxAge !== null && (maxAge === 0 || ageMs > maxAge * 1000)) return true;
  const minFresh = control.seconds('min-fresh');
  return minFresh !== null && leftMs < minFresh * 1000;
}

function takesStale(control: Directives, staleMs: number): boolean {
  if (control.isPlain('max-stale')) return true;
  const seconds = control.seconds('max-stale');
  return seconds !== null && staleMs <= seconds * 1000;
}
