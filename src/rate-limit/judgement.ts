import type { Exchange } from '../exchange/exchange.js';
import type { LimitsTaken } from '../exchange/limits-taken.js';
import type { Decision } from './limit.js';
import { policyItem, quotaItem } from './limit-headers.js';
import type { RouteLimit } from './route-limit.js';
import type { RedisAsk } from './stores/redis.store.js';

const POLICY = 'RateLimit-Policy';
const QUOTA = 'RateLimit';

/** One exchange before the limits of one stage: by which keys, and what each of them said. */
export class Judgement implements LimitsTaken {
  /** Null where a limit does not concern the exchange. */
  readonly keys: readonly (string | null)[];
  /** Null where a limit said nothing: it does not concern the exchange, or lets all pass while its store is away. */
  readonly decisions: (Decision | null)[];
  /** Limits in Redis were judged there; else their stand-ins in memory were asked. */
  inRedis = false;
  #givenBack = false;

  constructor(
    readonly limits: readonly RouteLimit[],
    exchange: Exchange,
    /** What the stage before said. */
    readonly before: Judgement | null = null,
  ) {
    this.keys = limits.map((limit) => limit.keyOf(exchange));
    this.decisions = limits.map(() => null);
  }

  /** A limit in Redis concerns the exchange. */
  get asksRedis(): boolean {
    return this.limits.some(({ remote }, at) => remote !== null && this.keys[at] !== null);
  }

  /** Takes from the limits in memory. */
  takeHere(now: number): void {
    for (let at = 0; at < this.limits.length; at++) {
      if (this.limits[at]!.remote === null && this.keys[at] !== null) this.#takeHere(at, 1, now);
    }
  }

  /** Redis is away: takes from the stand-ins of its limits. False when one of them says to refuse then. */
  takeInstead(now: number): boolean {
    for (let at = 0; at < this.limits.length; at++) {
      const { remote } = this.limits[at]!;
      if (remote === null || this.keys[at] === null) continue;
      if (remote.onFailure === 'closed') return false;
      if (remote.onFailure === 'local') this.#takeHere(at, 1, now);
    }
    return true;
  }

  /** What is to be asked of Redis. */
  asks(): RedisAsk[] {
    const asks: RedisAsk[] = [];
    for (let at = 0; at < this.limits.length; at++) {
      if (this.limits[at]!.remote !== null && this.keys[at] !== null) asks.push(this.#ask(at, 0));
    }
    return asks;
  }

  /** What Redis said to each of the {@link asks}. */
  answered(decisions: readonly Decision[]): void {
    this.inRedis = true;
    let next = 0;
    for (let at = 0; at < this.limits.length; at++) {
      if (this.limits[at]!.remote !== null && this.keys[at] !== null) this.decisions[at] = decisions[next++]!;
    }
  }

  /** Which limit refused and has the longest wait; -1 when all that spoke allowed it. */
  get worst(): number {
    let worst = -1;
    for (let at = 0; at < this.decisions.length; at++) {
      const decision = this.decisions[at];
      if (!decision || decision.allowed) continue;
      if (worst === -1 || decision.retryMs > this.decisions[worst]!.retryMs) worst = at;
    }
    return worst;
  }

  giveBack(now: number): void {
    if (this.#givenBack) return;
    this.#givenBack = true;
    this.before?.giveBack(now);
    const remote: RedisAsk[] = [];
    for (let at = 0; at < this.limits.length; at++) {
      const decision = this.decisions[at];
      if (!decision?.allowed) continue;
      if (!this.#isInRedis(at)) this.#giveBackHere(at, now);
      else remote.push(this.#ask(at, decision.stamp));
    }
    if (remote.length > 0) this.#giveBackThere(remote);
  }

  /** What one of these limits refused takes nothing from the others. Redis took from all of its limits or from none. */
  refused(now: number): void {
    this.#givenBack = true;
    this.before?.giveBack(now);
    for (let at = 0; at < this.limits.length; at++) {
      if (this.decisions[at]?.allowed && !this.#isInRedis(at)) this.#giveBackHere(at, now);
    }
  }

  /** Writes the two fields, together with those of the stages before. */
  writeTo(exchange: Exchange, wholePolicy: string): void {
    const { responseHeaders } = exchange;
    const policy = this.keys.includes(null) ? this.#policy() : wholePolicy;
    const quota = this.#quota();
    const at = this.before === null ? -1 : fieldsIn(responseHeaders);
    if (at >= 0) {
      responseHeaders[at + 1] = joined(responseHeaders[at + 1]!, policy);
      responseHeaders[at + 3] = joined(this.before!.#shown(responseHeaders[at + 3]!), quota);
    } else if (quota !== '') responseHeaders.push(POLICY, policy, QUOTA, quota);
  }

  /** What was written of it, unless it was given back since. */
  #shown(written: string): string {
    return this.#givenBack ? this.#allQuotas() : written;
  }

  #allQuotas(): string {
    return this.before === null ? this.#quota() : joined(this.before.#allQuotas(), this.#quota());
  }

  #policy(): string {
    const concerned = this.limits.filter((_, at) => this.keys[at] !== null);
    return concerned.map(({ name, limiter }) => policyItem(name, limiter.numbers)).join(', ');
  }

  #quota(): string {
    let text = '';
    for (let at = 0; at < this.limits.length; at++) {
      const decision = this.decisions[at];
      if (!decision) continue;
      const item = quotaItem(this.limits[at]!.name, decision);
      text = text === '' ? item : `${text}, ${item}`;
    }
    return text;
  }

  #takeHere(at: number, cost: number, now: number): void {
    this.decisions[at] = this.limits[at]!.limiter.take(this.keys[at]!, cost, now);
  }

  #isInRedis(at: number): boolean {
    return this.inRedis && this.limits[at]!.remote !== null;
  }

  #giveBackHere(at: number, now: number): void {
    this.limits[at]!.limiter.refund(this.keys[at]!, 1, this.decisions[at]!.stamp);
    this.#takeHere(at, 0, now);
  }

  #giveBackThere(asks: readonly RedisAsk[]): void {
    void this.limits.find(({ remote }) => remote !== null)!.remote!.store.refund(asks);
    this.decisions.forEach((decision, at) => {
      if (decision?.allowed && this.#isInRedis(at)) decision.remaining++;
    });
  }

  #ask(at: number, stamp: number): RedisAsk {
    const { rule, prefix } = this.limits[at]!.remote!;
    return { rule, key: prefix + this.keys[at]!, cost: 1, stamp };
  }
}

/** Where a stage before wrote the two fields: among the names alone, as a value may be one of them (CORS exposes names). */
function fieldsIn(headers: readonly string[]): number {
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at] === POLICY && headers[at + 2] === QUOTA) return at;
  }
  return -1;
}

function joined(text: string, more: string): string {
  return text === '' || more === '' ? text + more : `${text}, ${more}`;
}
