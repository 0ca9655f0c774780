import type { Exchange } from '../exchange/exchange.js';
import type { ResponseSink } from '../exchange/response.js';
import type { SetFacts } from './rules/stored.js';
import type { Seen } from './cache-store.js';
import type { RequestFields } from './fields/request-fields.js';

/** One request that the cache may answer, and what was worked out of it. */
export interface Asked {
  readonly exchange: Exchange;
  readonly sink: ResponseSink;
  readonly fields: RequestFields;
  /** Of the set that might answer it. */
  readonly about: SetFacts;
  /** What the look-up saw, from which on what is cleared may not be stored; null before it, and where it saw nothing. */
  seen: Seen | null;
  /** It carries credentials that the key does not tell apart: only what is marked for everybody may be stored or used. */
  readonly isCredentialed: boolean;
}

/** Why the cache has to ask the upstream (RFC 9211 §2.2). */
export type Forwarded = 'bypass' | 'method' | 'request' | 'uri-miss' | 'vary-miss' | 'stale';
