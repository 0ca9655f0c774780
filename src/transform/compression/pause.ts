/** Silence after which a sender counts as pausing, in milliseconds. */
const QUIET_MS = 20;

/** Tells when a sender pauses. One timer for a whole answer. */
export class Pause {
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly paused: () => void) {}

  /** Something came: the silence begins anew. */
  moved(): void {
    if (this.#timer === null) this.#timer = setTimeout(this.paused, QUIET_MS).unref();
    else this.#timer.refresh();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
