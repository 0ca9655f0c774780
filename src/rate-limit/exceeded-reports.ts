import { Inject, Injectable } from '@nestjs/common';

import type { Exchange } from '../exchange/exchange.js';
import { LIMIT_EVENTS, type LimitEvents } from './limit-events.js';

/** A key is told of at most once in this time. */
const QUIET_MS = 1_000;
/** What was suppressed is forgotten when the key keeps quiet this long after. */
const FORGET_MS = 60_000;
/** Keys remembered; those beyond share one line a second among them. */
const MAX_KEYS = 10_000;
const THE_REST = '';

interface Report {
  quietUntil: number;
  suppressed: number;
}

/** Passes refusals on to the {@link LimitEvents}, few enough that an attack cannot flood the log. */
@Injectable()
export class ExceededReports {
  readonly #reports = new Map<string, Report>();
  #sweptAt = -Infinity;

  constructor(@Inject(LIMIT_EVENTS) private readonly events: LimitEvents) {}

  /** `key` names limit and bucket; `now` is monotonic milliseconds. */
  report(exchange: Exchange, limit: string, key: string, now: number): void {
    const report = this.#reports.get(key) ?? this.#open(key, now);
    if (now < report.quietUntil) {
      report.suppressed++;
      return;
    }
    const { suppressed } = report;
    report.quietUntil = now + QUIET_MS;
    report.suppressed = 0;
    this.events.exceeded(exchange, limit, suppressed);
  }

  #open(key: string, now: number): Report {
    if (this.#reports.size >= MAX_KEYS) this.#sweep(now);
    const room = this.#reports.size < MAX_KEYS;
    const known = room ? undefined : this.#reports.get(THE_REST);
    if (known) return known;
    const report = { quietUntil: -Infinity, suppressed: 0 };
    this.#reports.set(room ? key : THE_REST, report);
    return report;
  }

  #sweep(now: number): void {
    if (now - this.#sweptAt < QUIET_MS) return;
    this.#sweptAt = now;
    for (const [key, { quietUntil, suppressed }] of this.#reports) {
      if (now >= quietUntil + (suppressed > 0 ? FORGET_MS : 0)) this.#reports.delete(key);
    }
  }
}
