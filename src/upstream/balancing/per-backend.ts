import type { Backend, BackendState } from '../../exchange/upstream.js';

/** What an algorithm keeps of each backend. It lives as long as the backend's state: across reloads. */
export class PerBackend<T> {
  readonly #known = new WeakMap<BackendState, T>();
  #backends: readonly Backend[] | null = null;
  #current: readonly T[] = [];

  constructor(private readonly make: (backend: Backend) => T) {}

  /** In the order of the list. Allocates nothing while the list is the same as at the last call. */
  of(backends: readonly Backend[]): readonly T[] {
    if (backends !== this.#backends) {
      this.#backends = backends;
      this.#current = backends.map((backend) => this.#entry(backend));
    }
    return this.#current;
  }

  #entry(backend: Backend): T {
    let entry = this.#known.get(backend.state);
    if (entry === undefined) this.#known.set(backend.state, (entry = this.make(backend)));
    return entry;
  }
}
