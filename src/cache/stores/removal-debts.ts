/** Keys that are remembered: beyond that all entries are owed. */
const MOST = 10_000;

/**
 * Removals that could not be done. They are done before anything else when the store is back, so that no answer comes
 * back that was invalidated meanwhile.
 */
export class RemovalDebts {
  readonly #keys = new Set<string>();
  #all = false;

  /** `remove` is given keys, or null for all there are; it sends its commands before it returns. */
  constructor(private readonly remove: (keys: readonly string[] | null) => Promise<boolean>) {}

  owe(key: string | null): void {
    if (this.#all) return;
    if (key !== null && this.#keys.size < MOST) {
      this.#keys.add(key);
      return;
    }
    this.#all = true;
    this.#keys.clear();
  }

  async pay(): Promise<void> {
    const all = this.#all;
    const keys = [...this.#keys];
    this.#all = false;
    this.#keys.clear();
    if (!all && keys.length === 0) return;
    if (await this.remove(all ? null : keys)) return;
    for (const key of all ? [null] : keys) this.owe(key);
  }
}
