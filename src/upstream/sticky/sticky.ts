import type { Clock } from '../../common/clock.js';
import { needsSecure } from '../../common/cookies.js';
import { durationMs } from '../../common/duration.js';
import type { StickyConfig } from '../../config/upstream.config.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { Backend } from '../../exchange/upstream.js';
import { Affinity, type Claim, readClaim } from './affinity.js';
import { cameSecurely, claimsOf, setCookie } from './affinity-cookie.js';

export interface StickyTools {
  readonly clock: Clock;
  /** Signs where the upstream has no secret of its own. */
  readonly secret: Buffer;
}

/** Null where the upstream's clients are not tied to backends. */
export function compileSticky(
  upstream: string,
  config: Readonly<StickyConfig> | null,
  backends: readonly Backend[],
  { clock, secret }: StickyTools,
): Sticky | null {
  if (config === null) return null;
  const affinity = new Affinity(config.secret ?? secret, upstream);
  const ttl = Math.ceil(durationMs(config.ttl) / 1_000);
  return new Sticky(config.cookie, ttl, affinity, backends, clock);
}

/** A tie that holds, if there is one, and what the cookie says beside it. */
interface Tie {
  readonly backend: Backend | null;
  /** Seconds since the Unix epoch. */
  readonly expiresAt: number;
  /** Entries of other upstreams. */
  readonly others: readonly Claim[];
}

/** Keeps clients at one backend of an upstream by a signed cookie. */
export class Sticky {
  readonly #ties = new WeakMap<Exchange, Tie>();
  /** Whatever the client comes over. */
  readonly #needsSecure: boolean;
  #backends: ReadonlyMap<string, Backend> = new Map();
  #tags: ReadonlyMap<Backend, string> = new Map();

  // oxlint-disable-next-line max-params -- what a tie is made of.
  constructor(
    readonly cookie: string,
    /** Seconds. */
    readonly ttl: number,
    private readonly affinity: Affinity,
    backends: readonly Backend[],
    private readonly clock: Clock,
  ) {
    this.#needsSecure = needsSecure(cookie);
    this.use(backends);
  }

  /** The upstream's backends are these from now on. */
  use(backends: readonly Backend[]): void {
    const tagged = backends.map((backend) => [this.affinity.tagOf(backend.id), backend] as const);
    // Weight 0 takes a backend out of the rotation, for known clients too.
    this.#backends = new Map(tagged.filter(([, { weight }]) => weight > 0));
    this.#tags = new Map(tagged.map(([tag, backend]) => [backend, tag]));
  }

  /** The backend that this client is tied to, whether or not it may serve now. */
  backendOf(exchange: Exchange): Backend | null {
    return this.#tieOf(exchange).backend;
  }

  /** Ties the client to the backend that answers, unless it is tied to that one for long enough. */
  answering(exchange: Exchange, backend: Backend): void {
    const tie = this.#tieOf(exchange);
    const now = this.#now;
    const left = tie.expiresAt - now;
    // A shorter `ttl` than the one it was made with holds for old cookies too.
    if (tie.backend === backend && left * 2 >= this.ttl && left <= this.ttl) return;
    // One that discovery has let go meanwhile may still answer.
    const tag = this.#tags.get(backend) ?? this.affinity.tagOf(backend.id);
    const mine = readClaim(this.affinity.sign(tag, now + this.ttl))!;
    const secure = this.#needsSecure || cameSecurely(exchange);
    const line = setCookie(this.cookie, mine, tie.others, { now, secure });
    exchange.responseHeaders.push('Set-Cookie', line);
  }

  /** Read once for each exchange, which may be tried at several backends. */
  #tieOf(exchange: Exchange): Tie {
    const known = this.#ties.get(exchange);
    if (known !== undefined) return known;
    const tie = this.#read(exchange);
    this.#ties.set(exchange, tie);
    return tie;
  }

  #read(exchange: Exchange): Tie {
    const claims = claimsOf(exchange, this.cookie);
    const others = claims.filter(({ upstream }) => upstream !== this.affinity.upstream);
    const mine = claims.find(({ upstream }) => upstream === this.affinity.upstream);
    const backend = mine === undefined ? null : this.#claimed(mine);
    return { backend, expiresAt: backend === null ? 0 : mine!.expiresAt, others };
  }

  #claimed(claim: Claim): Backend | null {
    const backend = this.#backends.get(claim.backend);
    if (backend === undefined || claim.expiresAt <= this.#now) return null;
    return this.affinity.signed(claim) ? backend : null;
  }

  get #now(): number {
    return Math.floor(this.clock.wall() / 1_000);
  }
}
