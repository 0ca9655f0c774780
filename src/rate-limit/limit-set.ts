import type { Exchange } from '../exchange/exchange.js';
import type { Decision, Limiter } from './limit.js';
import { policyItem, quotaItem } from './limit-headers.js';
import type { LimitKey } from './limit-key.js';
import type { LimitedCounter } from './limited-counts.js';

/** One limit of a route, compiled. */
export interface RouteLimit {
  /** As headers, log lines and metrics call it: `default`, `default-2`, …, `global`. */
  readonly name: string;
  /** Its place in the document: route and position. */
  readonly id: string;
  readonly limiter: Limiter;
  readonly keyOf: LimitKey;
  readonly counter: LimitedCounter;
}

/** A refusal: by which limit, and for how long. */
export interface Exceeded {
  readonly limit: RouteLimit;
  readonly key: string;
  /** Whole seconds after which a request passes all limits of the set. */
  readonly retryAfter: number;
}

/** All limits that one stage of a route judges, taken together: from each of them, or from none. */
export class LimitSet {
  /** `RateLimit-Policy`: never changes. */
  readonly #policy: string;
  /** Of the request in hand; taking is synchronous, so one array serves all. */
  readonly #decisions: Decision[] = [];

  constructor(readonly limits: readonly RouteLimit[]) {
    this.#policy = limits.map(({ name, limiter }) => policyItem(name, limiter.numbers)).join(', ');
  }

  /** Takes one request from every limit and adds the quota headers to the exchange's; null when all allow it. */
  take(exchange: Exchange, now: number): Exceeded | null {
    const decisions = this.#decisions;
    let worst = -1;
    for (let i = 0; i < this.limits.length; i++) {
      const { limiter, keyOf } = this.limits[i]!;
      const decision = limiter.take(keyOf(exchange), 1, now);
      decisions[i] = decision;
      if (!decision.allowed && (worst === -1 || decision.retryMs > decisions[worst]!.retryMs)) worst = i;
    }
    const exceeded = worst === -1 ? null : this.#exceeded(exchange, worst, now);
    exchange.responseHeaders.push('RateLimit-Policy', this.#policy, 'RateLimit', this.#quotas());
    return exceeded;
  }

  /** Gives back to every limit what a `take` that passed took: a later stage refused the exchange. */
  refund(exchange: Exchange): void {
    for (const { limiter, keyOf } of this.limits) limiter.refund(keyOf(exchange), 1);
  }

  #exceeded(exchange: Exchange, worst: number, now: number): Exceeded {
    const { retryMs } = this.#decisions[worst]!;
    this.limits.forEach(({ limiter, keyOf }, i) => {
      if (!this.#decisions[i]!.allowed) return;
      const key = keyOf(exchange);
      limiter.refund(key, 1);
      this.#decisions[i] = limiter.take(key, 0, now);
    });
    const limit = this.limits[worst]!;
    return { limit, key: limit.keyOf(exchange), retryAfter: Math.ceil(retryMs / 1_000) };
  }

  #quotas(): string {
    let text = quotaItem(this.limits[0]!.name, this.#decisions[0]!);
    for (let i = 1; i < this.limits.length; i++) {
      text += `, ${quotaItem(this.limits[i]!.name, this.#decisions[i]!)}`;
    }
    return text;
  }
}
