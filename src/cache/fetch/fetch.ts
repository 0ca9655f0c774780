import type { Clock } from '../../common/clock.js';
import type { RouteTools } from '../../exchange/forwarder.js';
import type { Asked, Forwarded } from '../asked.js';
import type { RouteCacheCounts } from '../cache-counts.js';
import type { CachePolicy } from '../cache-policy.js';
import type { StoredResponse } from '../cache-store.js';
import type { Entries } from './entries.js';
import type { Fetches } from './fetches.js';
import type { Flight } from './flight.js';
import type { Flights } from './flights.js';

/** What is fetched, and why. */
export interface Fetch {
  readonly asked: Asked;
  readonly fwd: Forwarded;
  /** What the upstream is asked about, or what may stand in for it when it fails. */
  readonly stale: StoredResponse | null;
  /** The upstream was asked whether `stale` still holds. */
  readonly isValidating: boolean;
  /** Those who wait for it. */
  readonly flight: Flight | null;
  readonly flightKey: string;
  /** A client waits for it. */
  readonly isCounted: boolean;
}

/** What the fetches of one route work with. */
export interface FetchHost {
  readonly policy: CachePolicy;
  readonly clock: Clock;
  readonly tools: RouteTools;
  readonly counts: RouteCacheCounts;
  readonly entries: Entries;
  readonly fetches: Fetches;
  readonly flights: Flights;
}
