/** Steps that one value may take in all: of patterns of more than linear time, and of parts that schemas refer to. */
const STEPS = 25_000_000;
/** What it costs to go on in a part that a schema refers to. */
const REFERENCE = 250;

/** Thrown out of the check of a value that takes more steps than there are: whether it fits is not known then. */
export class TooCostly extends Error {
  override readonly name = 'TooCostly';

  constructor() {
    super('too costly to check');
  }
}

/** What is left for the value that is being checked: checks are synchronous, one after the other. */
export class CheckBudget {
  #left = STEPS;

  renew(): void {
    this.#left = STEPS;
  }

  /** While schemas are compiled, which ajv checks too. */
  lift(): void {
    this.#left = Number.POSITIVE_INFINITY;
  }

  /** Throws {@link TooCostly}: a `false` would be a match to `not`. */
  take(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooCostly();
  }

  readonly enter = (): void => this.take(REFERENCE);
}
