import { PassingSink } from '../../exchange/passing-sink.js';
import type { Refusal } from '../../exchange/refusal.js';
import type { Tunnel, UpstreamHead } from '../../exchange/response.js';
import { forwardedStatus, markForwarded, validatedStatus } from '../answer/cache-status.js';
import { answerWith } from '../answer/stored-answer.js';
import type { Asked } from '../asked.js';
import type { StoredResponse } from '../cache-store.js';
import { ResponseFields } from '../fields/response-fields.js';
import { isShared } from '../rules/freshness.js';
import { storableTiming } from '../rules/storable.js';
import { freshened } from '../rules/stored.js';
import { isNeverFresh, mayCoverErrors } from '../rules/verdict.js';
import type { Fetch, FetchHost } from './fetch.js';
import type { Storing } from './fetches.js';
import type { Flight, Landing } from './flight.js';
import { Taking } from './taking.js';

/** A body that nobody wants is read to its end up to this length, in bytes: its connection stays in use. */
const DRAINED = 64 * 1024;

/** One answer of the upstream on its way to the client, and into the store where it may be used again. */
export class Fetching extends PassingSink implements Storing {
  readonly #requestedAt: number;
  #flight: Flight | null;
  #taking: Taking | null = null;
  #outdated = false;
  /** The client has its answer from elsewhere, or is gone: what comes is dropped. */
  #served = false;
  #over = false;

  constructor(
    private readonly fetch: Fetch,
    private readonly host: FetchHost,
  ) {
    super(fetch.asked.sink);
    this.#requestedAt = host.clock.wall();
    this.#flight = fetch.flight;
    host.fetches.add(this);
  }

  get about(): Asked['about'] {
    return this.fetch.asked.about;
  }

  outdated(): void {
    this.#outdated = true;
    this.#alone();
  }

  override head(head: UpstreamHead): void {
    const { stale, isValidating } = this.fetch;
    if (isValidating && head.status === 304) return this.#validated(stale!, head);
    if (head.status >= 500 && this.#coveredBy() !== null) {
      if (head.contentLength < 0 || head.contentLength > DRAINED) super.cancel();
      return this.#cover(stale!, head.status);
    }
    this.#take(head);
    this.#pass(head);
  }

  override data(chunk: Buffer): boolean {
    if (this.#served) return true;
    if (this.#taking !== null && !this.#taking.add(chunk)) {
      this.#taking = null;
      this.#alone();
    }
    return super.data(chunk);
  }

  override end(trailers: readonly string[] | null): void {
    this.#finish();
    if (this.#served) return;
    const stored = this.#store();
    super.end(trailers);
    if (stored !== null) this.#land({ kind: 'stored', stored });
    else this.#alone();
  }

  override abort(cause: Error): void {
    this.#finish();
    if (this.#served) return;
    super.abort(cause);
    this.#leaderless();
  }

  override refuse(refusal: Refusal): void {
    this.#finish();
    if (this.#served) return;
    const cover = isUpstreams(refusal) ? this.#coveredBy() : null;
    if (cover !== null) return this.#cover(cover, 0);
    this.#missed();
    super.refuse(refusal);
    if (isUpstreams(refusal)) this.#land({ kind: 'refused', refusal });
    else this.#leaderless();
  }

  override switched(tunnel: Tunnel): void {
    this.#finish();
    super.switched(tunnel);
    this.#alone();
  }

  override cancel(): void {
    // What was served from the store leaves the rest of the upstream's answer to end by itself.
    if (this.#over || this.#served) return;
    this.#finish();
    super.cancel();
    this.#leaderless();
  }

  #finish(): void {
    this.#over = true;
    this.host.fetches.remove(this);
  }

  // The answer is the upstream's own.

  #take(head: UpstreamHead): void {
    const { asked, flightKey } = this.fetch;
    const { policy, clock, flights } = this.host;
    const fields = new ResponseFields(head.headers);
    const receivedAt = clock.wall();
    const times = { requestedAt: this.#requestedAt, receivedAt };
    const facts = { policy, isCredentialed: asked.isCredentialed, isPartial: this.#isPartial, times };
    const timing = this.#isStorable ? storableTiming(head, fields, facts) : null;
    if (timing === null) {
      if (this.#isStorable && head.status < 500) flights.pass(flightKey, clock.now());
      this.#superseded(head.status);
      return this.#alone();
    }
    this.#taking = new Taking(head, { fields, timing, receivedAt }, policy.maxEntrySize);
    flights.shared(flightKey);
    if (isNeverFresh(timing)) this.#alone();
  }

  /** Conditions of the client's own give way to those of the cache; ranges don't. */
  get #isPartial(): boolean {
    const { asked, isValidating } = this.fetch;
    return asked.fields.range !== null || (asked.fields.isConditional && !isValidating);
  }

  get #isStorable(): boolean {
    const { exchange } = this.fetch.asked;
    return exchange.head.method === 'GET' && !this.#outdated;
  }

  /** What is stored is not what the upstream says any more, and the news can't be stored. */
  #superseded(status: number): void {
    const { stale, asked } = this.fetch;
    if (
      stale !== null &&
      this.#isStorable &&
      !asked.isCredentialed &&
      status < 400 &&
      status !== 206 &&
      status !== 304
    )
      this.host.entries.remove(asked, stale);
  }

  #pass(head: UpstreamHead): void {
    this.#missed();
    const isStored = this.#taking !== null && this.host.entries.store.available;
    markForwarded(head.headers, forwardedStatus(this.fetch.fwd, isStored), 'MISS');
    super.head(head);
  }

  #missed(): void {
    this.fetch.asked.exchange.cache = 'MISS';
    if (this.fetch.isCounted) this.host.counts.misses++;
  }

  #store(): StoredResponse | null {
    if (this.#taking === null || this.#outdated) return null;
    const { asked } = this.fetch;
    const stored = this.#taking.stored(this.host.tools.outgoing(asked.exchange).lines);
    if (stored !== null) this.host.entries.put(asked, stored);
    return stored;
  }

  // The answer is what is stored.

  /** RFC 9111 §4.3.3, §4.3.4. */
  #validated(stale: StoredResponse, head: UpstreamHead): void {
    this.#served = true;
    const { policy, clock, entries } = this.host;
    const { asked, fwd } = this.fetch;
    const now = clock.wall();
    const times = { requestedAt: this.#requestedAt, receivedAt: now };
    const lines = this.host.tools.outgoing(asked.exchange).lines;
    const fresh = freshened(stale, { lines: head.headers, asked: lines }, policy, times);
    const isOthers = !asked.isCredentialed || isShared(new ResponseFields(head.headers));
    if (isOthers && fresh === null) entries.remove(asked, stale);
    else if (isOthers && fresh !== null && !this.#outdated) entries.put(asked, fresh, stale);
    const stored = fresh ?? stale;
    const ageMs = now - stored.bornAt;
    const status = validatedStatus(fwd, head.status, stored.freshMs, ageMs);
    this.#hit();
    answerWith(stored, asked, { cache: 'HIT', status, ageMs, now, extra: cookiesIn(head.headers) });
    if (!isOthers || fresh === null || this.#outdated || isNeverFresh(fresh)) this.#alone();
    else this.#land({ kind: 'stored', stored: fresh });
  }

  #coveredBy(): StoredResponse | null {
    const { stale, asked } = this.fetch;
    if (stale === null) return null;
    return mayCoverErrors(stale, this.host.clock.wall() - stale.bornAt, asked.fields.control) ? stale : null;
  }

  /** RFC 5861 §4. */
  #cover(stale: StoredResponse, said: number): void {
    this.#served = true;
    const { asked, fwd } = this.fetch;
    const now = this.host.clock.wall();
    const ageMs = now - stale.bornAt;
    const status = validatedStatus(fwd, said, stale.freshMs, ageMs);
    this.#hit();
    answerWith(stale, asked, { cache: 'STALE', status, ageMs, now });
    this.#land({ kind: 'covered', stored: stale });
  }

  #hit(): void {
    if (this.fetch.isCounted) this.host.counts.hits++;
  }

  // Those who wait.

  #land(landing: Landing): void {
    const flight = this.#flight;
    this.#flight = null;
    flight?.land(landing);
  }

  #alone(): void {
    this.#land({ kind: 'alone' });
  }

  #leaderless(): void {
    const flight = this.#flight;
    this.#flight = null;
    flight?.leaderless();
  }
}

/** Whether it says something of the upstream and not of the one request. */
function isUpstreams(refusal: Refusal): boolean {
  return refusal.getStatus() >= 502 && refusal.getStatus() <= 504;
}

/** They are for this client, and never stored. */
function cookiesIn(lines: readonly string[]): string[] {
  return lines.flatMap((name, at) =>
    at % 2 === 0 && name.toLowerCase() === 'set-cookie' ? [name, lines[at + 1]!] : [],
  );
}
