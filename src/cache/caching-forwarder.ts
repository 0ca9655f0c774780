import type { CacheHost } from './cache-host.js';
import type { Exchange } from '../exchange/exchange.js';
import type { Forwarder } from '../exchange/forwarder.js';
import { Refusal } from '../exchange/refusal.js';
import type { ResponseSink } from '../exchange/response.js';
import { collapsedStatus, hitStatus } from './answer/cache-status.js';
import { answerWith } from './answer/stored-answer.js';
import type { Asked, Forwarded } from './asked.js';
import type { Found, StoredResponse } from './cache-store.js';
import { isCredentialed } from './credentials.js';
import { BypassSink } from './fetch/bypass-sink.js';
import { Fetching } from './fetch/fetching.js';
import type { Flight, Follower, Landing } from './fetch/flight.js';
import { NoSink, repeated } from './fetch/refresh.js';
import { RequestFields } from './fields/request-fields.js';
import { conditional, isValidatable, unconditional } from './rules/validators.js';
import { isSelected } from './rules/vary.js';
import { isNeverFresh, mayCoverErrors, verdictOf } from './rules/verdict.js';
import { WaitingForStore } from './waiting-for-store.js';

/** What a fetch is for. */
interface Need {
  readonly fwd: Forwarded;
  readonly stale: StoredResponse | null;
  /** It waits for nobody, and nobody for it. */
  readonly alone: boolean;
}

/** Answers what it can of one route's requests from the store, and lets the rest pass into it. */
export class CachingForwarder implements Forwarder {
  constructor(private readonly host: CacheHost) {}

  forward(exchange: Exchange, sink: ResponseSink): void {
    const { head } = exchange;
    if (head.upgrade) return this.host.next.forward(exchange, sink);
    if (!this.host.policy.methods.has(head.method)) return this.#bypass(exchange, sink, 'method');
    const fields = new RequestFields(exchange.head.rawHeaders);
    // What a body asks for is not in the key.
    if (head.hasBody) return this.#bypass(exchange, sink, 'bypass');
    if (fields.isForOrigin || fields.control?.has('no-store')) return this.#bypass(exchange, sink, 'request');
    this.#lookUp({
      exchange,
      sink,
      fields,
      about: this.host.keys.factsOf(exchange),
      seen: null,
      isCredentialed: isCredentialed(exchange, fields, this.host.policy),
    });
  }

  #bypass(exchange: Exchange, sink: ResponseSink, fwd: Forwarded): void {
    exchange.cache = 'BYPASS';
    this.host.next.forward(exchange, new BypassSink(sink, fwd));
  }

  #lookUp(asked: Asked): void {
    const found = this.host.store.get(asked.about.key, asked.about);
    if (!(found instanceof Promise)) return this.#decide(asked, found);
    const waiting = new WaitingForStore(asked.sink);
    void found.then((late) => {
      if (waiting.end()) this.#later(asked, () => this.#decide(asked, late));
    });
  }

  #decide(asked: Asked, { set, seen }: Found): void {
    asked.seen = seen;
    const stored = set === null ? null : this.#selected(asked, set.variants);
    if (stored === null) return this.#miss(asked, set === null ? 'uri-miss' : 'vary-miss');
    const now = this.host.clock.wall();
    const ageMs = now - stored.bornAt;
    const verdict = verdictOf(stored, ageMs, asked.fields.control);
    if (verdict === 'asked') return this.#fetch(asked, { fwd: 'request', stale: stored, alone: true });
    if (verdict === 'validate')
      return this.#fetch(asked, { fwd: 'stale', stale: stored, alone: isNeverFresh(stored) });
    this.host.counts.hits++;
    const cache = verdict === 'fresh' ? 'HIT' : 'STALE';
    // Before the answer: a request that is through may be taken for another one's.
    if (verdict === 'refresh') this.#refresh(asked, stored);
    answerWith(stored, asked, { cache, status: hitStatus(stored.freshMs, ageMs), ageMs, now });
  }

  #selected(asked: Asked, variants: readonly StoredResponse[]): StoredResponse | null {
    const lines = (): readonly string[] => this.host.tools.outgoing(asked.exchange).lines;
    for (const one of variants) {
      if ((one.shared || !asked.isCredentialed) && isSelected(one, lines)) return one;
    }
    return null;
  }

  #miss(asked: Asked, fwd: Forwarded): void {
    const alone = asked.fields.control?.has('no-cache') ?? false;
    this.#fetch(asked, { fwd, stale: null, alone });
  }

  // The upstream.

  #fetch(asked: Asked, need: Need): void {
    if (asked.fields.control?.has('only-if-cached')) return this.#refuse(asked, nothingStored());
    if (need.alone) return this.#go(asked, need, null);
    const { flights, clock, policy } = this.host;
    const key = flightKey(asked);
    const flight = flights.at(key);
    if (flight !== undefined) return flight.wait(this.#follower(asked, need), policy.waitMs);
    const leads = mayLead(asked, need.stale) && !flights.isPassed(key, clock.now());
    this.#go(asked, need, leads ? flights.open(key) : null);
  }

  #go(asked: Asked, { fwd, stale }: Need, flight: Flight | null, isCounted = true): void {
    const isValidating = stale !== null && asked.exchange.head.method === 'GET' && isValidatable(stale);
    if (isValidating) {
      const outgoing = this.host.tools.outgoing(asked.exchange);
      outgoing.lines = conditional(outgoing.lines, stale);
    }
    const fetch = { asked, fwd, stale, isValidating, flight, flightKey: flightKey(asked), isCounted };
    const sink = new Fetching(fetch, this.host);
    try {
      this.host.next.forward(asked.exchange, sink);
    } catch (error) {
      sink.refuse(this.#refusalOf(asked, error));
    }
  }

  /** Fetches what the next request will get, while this one is served stale (RFC 5861 §3). */
  #refresh(asked: Asked, stale: StoredResponse): void {
    const { flights, tools } = this.host;
    const key = flightKey(asked);
    if (flights.at(key) !== undefined) return;
    tools.outgoing(asked.exchange);
    const exchange = repeated(asked.exchange);
    exchange.outgoing!.lines = unconditional(exchange.outgoing!.lines);
    const again = { ...asked, exchange, sink: new NoSink(), fields: new RequestFields([]) };
    this.#go(again, { fwd: 'stale', stale, alone: false }, flights.open(key), false);
  }

  #refuse({ exchange, sink }: Asked, refusal: Refusal): void {
    exchange.cache = 'MISS';
    this.host.counts.misses++;
    sink.refuse(refusal);
  }

  // Those who waited.

  #follower(asked: Asked, need: Need): Follower {
    return {
      asked,
      landed: (landing) => this.#landed(asked, need, landing),
      lead: (flight) => this.#later(asked, () => this.#go(asked, need, flight)),
    };
  }

  #landed(asked: Asked, need: Need, landing: Landing): void {
    this.#later(asked, () => {
      if (landing.kind === 'refused') this.#refuse(asked, landing.refusal);
      else if (landing.kind === 'alone' || !this.#shares(asked, need, landing)) this.#go(asked, need, null);
    });
  }

  /** Answers with what another request brought, where that is for this one too. */
  #shares(asked: Asked, { fwd }: Need, { kind, stored }: Extract<Landing, { stored: unknown }>): boolean {
    if (this.#selected(asked, [stored]) === null) return false;
    const { counts, clock } = this.host;
    const now = clock.wall();
    const ageMs = now - stored.bornAt;
    const { control } = asked.fields;
    const fits =
      kind === 'covered'
        ? mayCoverErrors(stored, ageMs, control)
        : verdictOf(stored, ageMs, control) === 'fresh';
    if (!fits) return false;
    counts.hits++;
    const cache = kind === 'covered' ? 'STALE' : 'HIT';
    const status = collapsedStatus(fwd, stored.freshMs, ageMs);
    answerWith(stored, asked, { cache, status, ageMs, now });
    return true;
  }

  /** Goes on after a wait: the client may be gone, and nobody else catches what is thrown. */
  #later(asked: Asked, action: () => void): void {
    if (asked.exchange.endedAt > 0) return;
    try {
      action();
    } catch (error) {
      asked.sink.refuse(this.#refusalOf(asked, error));
    }
  }

  #refusalOf({ exchange }: Asked, error: unknown): Refusal {
    if (error instanceof Refusal) return error;
    this.host.log.internalError(exchange, error);
    return new Refusal('internal_error', { cause: error });
  }
}

/** Those with credentials share with each other alone: what they are told may be for them. */
function flightKey({ about, isCredentialed: apart }: Asked): string {
  return apart ? `${about.key}\n!` : about.key;
}

/** Whether what it brings can be for others: the answer to a condition or a range is not. */
function mayLead({ exchange, fields }: Asked, stale: StoredResponse | null): boolean {
  if (exchange.head.method !== 'GET' || fields.range !== null) return false;
  return !fields.isConditional || (stale !== null && isValidatable(stale));
}

/** RFC 9111 §5.2.1.7. */
function nothingStored(): Refusal {
  return new Refusal('upstream_timeout', {
    detail: 'only-if-cached was asked for, and nothing that is stored may be sent',
  });
}
