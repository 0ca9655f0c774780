import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';

import { LiveList } from '../../common/live-list.js';
import { LOG, type Log } from '../../exchange/event-log.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { MirrorResult } from '../../exchange/telemetry.js';
import { Deadlines } from '../deadlines.js';
import { MirrorCounts } from './mirror-counts.js';
import type { HeldCopy, MirrorHost, MirrorPlace } from './mirror-host.js';

/** Copies that one route may have at once: bodies that are collected and requests under way. */
export const MOST_COPIES = 100;

/** All copies under way. */
@Injectable()
export class Mirrors implements MirrorHost, OnModuleDestroy {
  readonly #copies = new LiveList<HeldCopy>();
  /** Copies under way by route id, over reloads; none where there are 0. */
  readonly #taken = new Map<string, number>();
  #stopped = false;

  constructor(
    readonly deadlines: Deadlines,
    @Inject(LOG) private readonly log: Log,
    private readonly counts: MirrorCounts,
  ) {}

  take(copy: HeldCopy): boolean {
    const { id } = copy.exchange.route!;
    const taken = this.#taken.get(id) ?? 0;
    if (this.#stopped || taken >= MOST_COPIES) return false;
    this.#taken.set(id, taken + 1);
    this.#copies.add(copy);
    return true;
  }

  release(copy: HeldCopy): void {
    const { id } = copy.exchange.route!;
    const left = this.#taken.get(id)! - 1;
    this.#copies.remove(copy);
    if (left === 0) this.#taken.delete(id);
    else this.#taken.set(id, left);
  }

  count({ route }: Exchange, result: MirrorResult): void {
    this.counts.count(route!.path, result);
  }

  failed(exchange: Exchange, place: MirrorPlace, cause: Error): void {
    this.count(exchange, 'failed');
    const { id, route } = exchange;
    const fields = { request_id: id, route: route!.id, ...place, err: cause.message || String(cause) };
    this.log.debug(fields, 'mirrored request failed');
  }

  /** No client waits for a copy, so neither does a stop: what is still under way is cut. */
  onModuleDestroy(): void {
    this.#stopped = true;
    this.#copies.visit((copy) => copy.cut());
  }
}
