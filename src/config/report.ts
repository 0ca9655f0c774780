import type { ConfigIssue } from './errors.js';
import type { Spot, Trace } from './trace.js';

/** Collects what is wrong; each place has its say once for the same words. */
export class Report {
  readonly issues: ConfigIssue[] = [];
  /** Objects of which a value was refused and replaced: what they lack may have been written. */
  readonly damaged = new WeakSet();
  private readonly said = new Set<string>();

  constructor(readonly trace: Trace) {}

  /** Something is wrong with an object, or with what it holds under a key. */
  at(owner: object, key: string | number | undefined, message: string): void {
    this.spot(this.trace.spot(owner, key), message);
  }

  spot(spot: Spot, message: string): void {
    const words = `${spot.offset} ${spot.path} ${message}`;
    if (this.said.has(words)) return;
    this.said.add(words);
    this.issues.push(this.trace.issue(spot, message));
  }
}
