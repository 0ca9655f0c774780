import type { LogLine } from './gateway-process.js';
import type { Judge, Seen } from './judge.js';

interface Completed {
  count: number;
  readonly status: unknown;
  readonly bytes: unknown;
  readonly reason: unknown;
}

/** Errors that a run of faults must log. */
const EXPECTED_ERRORS: ReadonlySet<unknown> = new Set(['upstream request failed', 'config reload failed']);

/** What the gateway's log said, exchange by exchange. */
export class LogLedger {
  readonly messages = new Map<string, number>();
  readonly #completed = new Map<string, Completed>();
  readonly #health = new Map<string, string>();

  constructor(readonly judge: Judge) {}

  take(line: LogLine): void {
    const msg = String(line['msg']);
    this.messages.set(msg, this.count(msg) + 1);
    if (msg === 'request completed') this.#complete(line);
    // A backend that a reload takes away and another one brings back starts healthy.
    else if (msg === 'config reloaded') this.#health.clear();
    else if (msg === 'backend became unhealthy' || msg === 'backend recovered') this.#transition(msg, line);
    if (line['level'] === 'ERROR' && !EXPECTED_ERRORS.has(msg))
      this.judge.violation(`log: ${JSON.stringify(line)}`);
  }

  count(msg: string): number {
    return this.messages.get(msg) ?? 0;
  }

  /** Each exchange that somebody saw has one line, and the line says what was seen. */
  compare(seen: ReadonlyMap<string, Seen>, reached: Iterable<string>): void {
    for (const [tag, { count }] of this.#completed) {
      if (count > 1) this.judge.violation(`log: ${tag} completed ${count} times`);
    }
    for (const tag of reached) {
      if (!this.#completed.has(tag)) this.judge.violation(`log: ${tag} reached a backend and has no line`);
    }
    for (const [tag, its] of seen) this.#compareOne(tag, its);
  }

  #compareOne(tag: string, its: Seen): void {
    const line = this.#completed.get(tag);
    const said = JSON.stringify(line);
    if (!line) this.judge.violation(`log: ${tag} was answered and has no line`);
    else if (line.status !== its.status) this.judge.violation(`log: ${tag} got ${its.status}: ${said}`);
    else if (its.bytes >= 0 && line.bytes !== its.bytes)
      this.judge.violation(`log: ${tag} got ${its.bytes} bytes: ${said}`);
    else if (its.own !== (line.reason !== null) && its.bytes >= 0 && its.stayed)
      this.judge.violation(`log: ${tag} has a wrong reason: ${said}`);
    else if (its.bytes < 0 && its.stayed && line.reason === null)
      this.judge.violation(`log: ${tag} was cut without a reason: ${said}`);
  }

  #complete(line: LogLine): void {
    const tag = String(line['request_id']);
    const known = this.#completed.get(tag);
    if (known) known.count++;
    else
      this.#completed.set(tag, {
        count: 1,
        status: line['status'],
        bytes: line['bytes_written'],
        reason: line['reason'],
      });
    if (line['reason'] === 'internal_error') this.judge.violation(`log: ${JSON.stringify(line)}`);
  }

  /** Exactly once a transition: the two messages take turns. */
  #transition(msg: string, line: LogLine): void {
    const backend = String(line['backend']);
    if (this.#health.get(backend) === msg)
      this.judge.violation(`log: twice in turn: ${JSON.stringify(line)}`);
    this.#health.set(backend, msg);
  }
}
