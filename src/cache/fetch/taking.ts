import type { UpstreamHead } from '../../exchange/response.js';
import type { StoredResponse } from '../cache-store.js';
import type { ResponseFields } from '../fields/response-fields.js';
import { isBodiless } from '../rules/bodiless.js';
import type { Timing } from '../rules/freshness.js';
import { storedFrom } from '../rules/stored.js';
import { selectedBy } from '../rules/vary.js';
import { BodyCopy } from './body-copy.js';

/** What the head of an answer says of its storing. */
export interface TakenHead {
  readonly fields: ResponseFields;
  readonly timing: Timing;
  /** Wall-clock milliseconds. */
  readonly receivedAt: number;
}

/** The store's part of an answer, taken down while it passes. */
export class Taking {
  readonly #lines: readonly string[];
  readonly #copy: BodyCopy;

  constructor(
    private readonly head: UpstreamHead,
    private readonly taken: TakenHead,
    maxEntrySize: number,
  ) {
    // On their way to the client the head's own lines are changed.
    this.#lines = head.headers.slice();
    this.#copy = new BodyCopy(isBodiless(head.status) ? 0 : head.contentLength, maxEntrySize);
  }

  /** False when the body is too long to be stored. */
  add(chunk: Buffer): boolean {
    return this.#copy.add(chunk);
  }

  /**
   * At the end of the body; null when bytes are missing.
   * @param asked header lines of the request as the upstream got it
   */
  stored(asked: readonly string[]): StoredResponse | null {
    const body = this.#copy.end();
    if (body === null) return null;
    const { status, statusText } = this.head;
    const { fields, timing, receivedAt } = this.taken;
    const vary = selectedBy(fields.vary, asked);
    return storedFrom({ status, statusText, lines: this.#lines, body, vary, receivedAt }, fields, timing);
  }
}
