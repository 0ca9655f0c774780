import type { Listed } from '../../common/live-list.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { MirrorResult } from '../../exchange/telemetry.js';
import type { Upstream } from '../../exchange/upstream.js';
import type { Deadlines } from '../deadlines.js';

/** A copy under way. */
export interface HeldCopy extends Listed {
  readonly exchange: Exchange;
  /** Ends it at once. */
  cut(): void;
}

/** Where all copies are known. None of these throws. */
export interface MirrorHost {
  readonly deadlines: Deadlines;
  /** A place for one more copy of the exchange's route; false when it has no room. */
  take(copy: HeldCopy): boolean;
  /** Gives back what `take` gave. */
  release(copy: HeldCopy): void;
  count(exchange: Exchange, result: MirrorResult): void;
  /** The copy alone failed: nobody waits for it, so it is no error of the exchange. */
  failed(exchange: Exchange, where: MirrorPlace, cause: Error): void;
}

/** Where a copy went, for the log. */
export interface MirrorPlace {
  readonly upstream: string;
  /** Its url; null when none was chosen. */
  readonly backend: string | null;
}

/** What is the same for all copies of one route. */
export interface MirrorSettings {
  readonly upstream: Upstream;
  /** Bytes of body that a copy may have. */
  readonly maxBody: number;
  /** Milliseconds from the copy's beginning to the end of its answer. */
  readonly timeoutMs: number;
  readonly host: MirrorHost;
}
