import type { ResponseSink, ResponseSource } from '../exchange/response.js';

/** A request while a store over a network looks for its answer. */
export class WaitingForStore implements ResponseSource {
  #isCancelled = false;

  constructor(private readonly sink: ResponseSink) {
    sink.source = this;
  }

  /** Ends the wait; false when the client left meanwhile. */
  end(): boolean {
    if (this.sink.source === this) this.sink.source = null;
    return !this.#isCancelled;
  }

  resume(): void {}

  cancel(): void {
    this.#isCancelled = true;
  }
}
