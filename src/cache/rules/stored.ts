import { joinedHeader, linesWithout } from '../../common/raw-headers.js';
import type { CachePolicy } from '../cache-policy.js';
import type { StoredResponse, StoredSet } from '../cache-store.js';
import { ResponseFields } from '../fields/response-fields.js';
import { isBodiless } from './bodiless.js';
import { type ExchangeTimes, type Timing, timingOf } from './freshness.js';
import { isValidatable } from './validators.js';
import { isAnyVary, isSameVariant, selectedBy } from './vary.js';

/** More variants of one key than these drop the oldest ones. */
const MAX_VARIANTS = 32;
/** What an entry costs beside its texts and its body, in bytes: objects and lists around them. */
const OVERHEAD = 512;
/** How long what can be validated is of use beyond its freshness, in milliseconds. */
const VALIDATED_MS = 24 * 3_600_000;

/** Never part of what is stored (RFC 9111 §3.1, §5.1); or said anew for each answer. */
const UNSTORED: readonly string[] = [
  'age',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'set-cookie',
  'set-cookie2',
  'trailer',
  'x-cache',
];
/** What a 304 does not change: it tells of the stored body (RFC 9111 §3.2). */
const OF_THE_BODY: ReadonlySet<string> = new Set([
  ...UNSTORED,
  'content-encoding',
  'content-length',
  'content-md5',
  'content-range',
  'etag',
]);

export interface Stored {
  readonly status: number;
  readonly statusText: string;
  /** Header lines as they came. */
  readonly lines: readonly string[];
  readonly body: Buffer;
  readonly vary: readonly (string | null)[];
  readonly receivedAt: number;
}

/** An answer as it is kept: with a date and a length, without what is not for others. */
export function storedFrom(answer: Stored, fields: ResponseFields, timing: Timing): StoredResponse {
  const { status, statusText, body, vary } = answer;
  const withheld = [
    ...UNSTORED,
    ...fields.control.fieldsOf('no-cache'),
    ...fields.control.fieldsOf('private'),
  ];
  const headers = linesWithout(answer.lines, new Set(withheld));
  if (fields.date === null) headers.push('Date', new Date(answer.receivedAt).toUTCString());
  const isFramed = isBodiless(status) || joinedHeader(headers, 'content-length') !== null;
  if (!isFramed) headers.push('Content-Length', String(body.length));
  return { ...timing, vary, status, statusText, headers, body };
}

export interface NotModified {
  /** Header lines as they came. */
  readonly lines: readonly string[];
  /** Header lines of the request as the upstream got it. */
  readonly asked: readonly string[];
}

/** The stored answer after the upstream said 304 (RFC 9111 §4.3.4, §3.2); null when it says that it must not be kept. */
export function freshened(
  stored: StoredResponse,
  { lines, asked }: NotModified,
  policy: CachePolicy,
  times: ExchangeTimes,
): StoredResponse | null {
  const said = new ResponseFields(lines);
  if (said.vary !== null && isAnyVary(said.vary)) return null;
  const withheld = [...said.control.fieldsOf('no-cache'), ...said.control.fieldsOf('private')];
  const news = linesWithout(lines, new Set([...OF_THE_BODY, ...withheld]));
  const names = news.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  const replaced = new Set([...names, ...withheld]);
  // A date that the gateway gave it itself is older than this answer.
  if (!replaced.has('date')) {
    replaced.add('date');
    news.push('Date', new Date(times.receivedAt).toUTCString());
  }
  const headers = [...linesWithout(stored.headers, replaced), ...news];
  const fields = new ResponseFields(
    joinedHeader(lines, 'age') === null ? headers : [...headers, 'Age', joinedHeader(lines, 'age')!],
  );
  const { control } = fields;
  if (control.has('no-store') || control.isPlain('private')) return null;
  const timing = timingOf(stored.status, fields, policy, times);
  const vary = said.vary === null ? stored.vary : selectedBy(said.vary, asked);
  return timing && { ...stored, headers, ...timing, vary };
}

/** The set with the answer in the place of the same variant, and of the one that it was made of. */
export function withVariant(
  before: StoredSet | null,
  added: StoredResponse,
  about: SetFacts,
  from: StoredResponse = added,
): StoredSet {
  const others =
    before?.variants.filter((known) => !isSameVariant(known, added) && !isSameVariant(known, from)) ?? [];
  return setOf([added, ...others.slice(0, MAX_VARIANTS - 1)], about);
}

/** Null when nothing is left. */
export function withoutVariant(before: StoredSet, gone: StoredResponse, about: SetFacts): StoredSet | null {
  const others = before.variants.filter((known) => known !== gone && !isSameVariant(known, gone));
  return others.length === 0 ? null : setOf(others, about);
}

/** What a set tells of itself. */
export type SetFacts = Pick<StoredSet, 'route' | 'path' | 'group'> & { readonly key: string };

function setOf(variants: readonly StoredResponse[], { key, route, path, group }: SetFacts): StoredSet {
  const texts = 2 * (key.length + group.length + path.length);
  const bytes = variants.reduce((sum, one) => sum + bytesOf(one), texts + OVERHEAD);
  return { route, path, group, variants, bytes, usefulUntil: Math.max(...variants.map(usefulUntil)) };
}

function bytesOf({ headers, body, vary }: StoredResponse): number {
  let sum = OVERHEAD + body.length;
  for (const text of headers) sum += text.length + 16;
  for (const text of vary) sum += (text?.length ?? 0) + 16;
  return sum;
}

function usefulUntil(stored: StoredResponse): number {
  const { bornAt, freshMs, staleIfErrorMs, staleWhileRevalidateMs } = stored;
  const stale = Math.max(staleIfErrorMs, staleWhileRevalidateMs, isValidatable(stored) ? VALIDATED_MS : 0);
  return bornAt + freshMs + stale;
}
