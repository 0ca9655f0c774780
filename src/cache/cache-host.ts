import type { ExchangeLog } from '../exchange/event-log.js';
import type { Forwarder } from '../exchange/forwarder.js';
import type { CacheStore } from './cache-store.js';
import type { FetchHost } from './fetch/fetch.js';
import type { KeyMaker } from './key-maker.js';

/** What the cache of one route works with. */
export interface CacheHost extends FetchHost {
  readonly next: Forwarder;
  readonly store: CacheStore;
  readonly keys: KeyMaker;
  readonly log: ExchangeLog;
}
