import { Inject, Injectable } from '@nestjs/common';

import { LOG, type Log } from '../exchange/event-log.js';
import type { Exchange } from '../exchange/exchange.js';

/** Told of requests that a limit refused, at most once a second for each key. */
export interface LimitEvents {
  /** `suppressed`: refusals of the same key since it was told last. */
  exceeded(exchange: Exchange, limit: string, suppressed: number): void;
}

/** Nest token of the {@link LimitEvents}. */
export const LIMIT_EVENTS = Symbol('LimitEvents');

/** Longest value of a client's in a log line. */
const LONGEST = 1_024;

@Injectable()
export class LoggedLimitEvents implements LimitEvents {
  constructor(@Inject(LOG) private readonly log: Log) {}

  exceeded(exchange: Exchange, limit: string, suppressed: number): void {
    const fields = {
      remote_ip: exchange.clientIp,
      method: exchange.head.method,
      path: exchange.path?.slice(0, LONGEST) ?? null,
      route: exchange.route?.id ?? null,
      limit,
      suppressed,
    };
    this.log.warn(fields, 'rate limit exceeded');
  }
}
