/** Probes begun in one turn of the event loop. */
const BATCH = 16;

/**
 * Lets probes begin a few per turn of the event loop: thousands that fall due in the same moment must not
 * hold up the traffic.
 */
export class ProbeGate {
  #waiting: (() => void)[] = [];
  #turn: NodeJS.Immediate | null = null;

  /** Resolves when the caller may begin. */
  enter(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#turn ??= setImmediate(this.#open);
    });
  }

  /** Lets everybody in at once and leaves no turn behind. */
  close(): void {
    if (this.#turn) clearImmediate(this.#turn);
    this.#turn = null;
    for (const enter of this.#waiting.splice(0)) enter();
  }

  readonly #open = (): void => {
    for (const enter of this.#waiting.splice(0, BATCH)) enter();
    this.#turn = this.#waiting.length > 0 ? setImmediate(this.#open) : null;
  };
}
