import type { CachePolicy } from '../cache-policy.js';
import type { StoredResponse } from '../cache-store.js';
import { parseHttpDate } from '../../common/http-date.js';
import type { ResponseFields } from '../fields/response-fields.js';

/** What is known of how long an answer may be used. */
export type Timing = Pick<
  StoredResponse,
  | 'bornAt'
  | 'freshMs'
  | 'staleWhileRevalidateMs'
  | 'staleIfErrorMs'
  | 'alwaysValidate'
  | 'neverStale'
  | 'shared'
>;

/** Wall-clock milliseconds: when the request went out, when the answer's head came. */
export interface ExchangeTimes {
  readonly requestedAt: number;
  readonly receivedAt: number;
}

/** An age that nothing is fresh at. */
const ANCIENT_MS = 2 ** 31 * 1000;

/** Null for an answer of which nobody says how long it is fresh: it is not stored. */
export function timingOf(
  status: number,
  fields: ResponseFields,
  policy: CachePolicy,
  times: ExchangeTimes,
): Timing | null {
  const freshMs = lifetimeMs(status, fields, policy, times.receivedAt);
  if (freshMs === null) return null;
  const { control } = fields;
  return {
    bornAt: times.receivedAt - initialAgeMs(fields, times),
    freshMs,
    staleWhileRevalidateMs: windowMs('stale-while-revalidate', fields, policy, policy.staleWhileRevalidateMs),
    staleIfErrorMs: windowMs('stale-if-error', fields, policy, policy.staleIfErrorMs),
    alwaysValidate: control.isPlain('no-cache'),
    neverStale: control.has('must-revalidate') || control.has('proxy-revalidate') || control.has('s-maxage'),
    shared: isShared(fields),
  };
}

/** What makes an answer to a request with credentials storable (RFC 9111 §3.5). */
export function isShared({ control }: ResponseFields): boolean {
  return control.has('public') || control.has('s-maxage') || control.has('must-revalidate');
}

/** RFC 9111 §4.2.1, without guesses (§4.2.2): `ttl` stands in for them. */
function lifetimeMs(
  status: number,
  fields: ResponseFields,
  policy: CachePolicy,
  receivedAt: number,
): number | null {
  const said = policy.respectHeaders ? explicitMs(fields, receivedAt) : null;
  if (said !== null) return said;
  return policy.isTtlStatus(status) ? policy.ttlMs : null;
}

function explicitMs({ control, expires, date }: ResponseFields, receivedAt: number): number | null {
  const seconds = control.seconds('s-maxage') ?? control.seconds('max-age');
  if (seconds !== null) return seconds * 1000;
  if (expires.length === 0) return null;
  const from = (date === null ? null : parseHttpDate(date, receivedAt)) ?? receivedAt;
  const ends = expires.map((text) => parseHttpDate(text, receivedAt) ?? from);
  return Math.max(0, Math.min(...ends) - from);
}

/** RFC 9111 §4.2.3. An `Age` that is no number is taken for a great one. */
function initialAgeMs({ age, date }: ResponseFields, { requestedAt, receivedAt }: ExchangeTimes): number {
  const sent = date === null ? null : parseHttpDate(date, receivedAt);
  // Dates know whole seconds alone.
  const apparent = sent === null ? 0 : Math.floor((receivedAt - sent) / 1000) * 1000;
  const delay = Math.max(0, receivedAt - requestedAt);
  return Math.max(apparent, ageMs(age) + delay);
}

function ageMs(age: string | null): number {
  if (age === null) return 0;
  return /^\d+$/.test(age) ? Math.min(Number(age) * 1000, ANCIENT_MS) : ANCIENT_MS;
}

/** RFC 5861; the answer's own word goes before the route's. */
function windowMs(name: string, fields: ResponseFields, policy: CachePolicy, otherwise: number): number {
  const seconds = policy.respectHeaders ? fields.control.seconds(name) : null;
  return seconds === null ? otherwise : seconds * 1000;
}
