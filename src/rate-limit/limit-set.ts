import type { Clock } from '../common/clock.js';
import type { Exchange } from '../exchange/exchange.js';
import { Judgement } from './judgement.js';
import { policyItem } from './limit-headers.js';
import type { RouteLimit } from './route-limit.js';
import type { RedisLimitStore } from './stores/redis.store.js';

/** A refusal: by which limit, and for how long. */
export interface Exceeded {
  readonly limit: RouteLimit;
  readonly key: string;
  /** Whole seconds after which a request passes all limits of the set. */
  readonly retryAfter: number;
}

/** What a set says: null lets the exchange pass; `unavailable`: a limit can't be judged, and says to refuse then. */
export type Verdict = Exceeded | 'unavailable' | null;

/** All limits that one stage of a route judges, taken together: from each of them, or from none. */
export class LimitSet {
  /** `RateLimit-Policy` of an exchange that all of them concern. */
  readonly #policy: string;
  readonly #store: RedisLimitStore | null;

  constructor(
    readonly limits: readonly RouteLimit[],
    private readonly clock: Clock,
  ) {
    this.#policy = limits.map(({ name, limiter }) => policyItem(name, limiter.numbers)).join(', ');
    this.#store = limits.find(({ remote }) => remote !== null)?.remote!.store ?? null;
  }

  /**
   * Takes one request from every limit and adds the quota headers to the exchange's. A refusal gives back what the
   * limits of earlier stages took. A promise only where Redis is asked: once for all limits that are there.
   */
  judge(exchange: Exchange): Verdict | Promise<Verdict> {
    const now = this.clock.now();
    const judgement = new Judgement(this.limits, exchange, exchange.taken as Judgement | null);
    judgement.takeHere(now);
    if (!judgement.asksRedis || judgement.worst >= 0) return this.#settle(exchange, judgement, now);
    return this.#store!.usable
      ? this.#askRedis(exchange, judgement)
      : this.#withoutRedis(exchange, judgement, now);
  }

  async #askRedis(exchange: Exchange, judgement: Judgement): Promise<Verdict> {
    try {
      judgement.answered(await this.#store!.take(judgement.asks()));
    } catch {
      // The store has told of it.
      return this.#withoutRedis(exchange, judgement, this.clock.now());
    }
    return this.#settle(exchange, judgement, this.clock.now());
  }

  #withoutRedis(exchange: Exchange, judgement: Judgement, now: number): Verdict {
    if (judgement.takeInstead(now)) return this.#settle(exchange, judgement, now);
    judgement.refused(now);
    judgement.writeTo(exchange, this.#policy);
    return 'unavailable';
  }

  #settle(exchange: Exchange, judgement: Judgement, now: number): Verdict {
    const at = judgement.worst;
    const exceeded = at === -1 ? null : this.#exceeded(judgement, at);
    if (exceeded === null) exchange.taken = judgement;
    else judgement.refused(now);
    judgement.writeTo(exchange, this.#policy);
    return exceeded;
  }

  #exceeded(judgement: Judgement, at: number): Exceeded {
    const retryAfter = Math.ceil(judgement.decisions[at]!.retryMs / 1_000);
    return { limit: this.limits[at]!, key: judgement.keys[at]!, retryAfter };
  }
}
