import type { BalancerFactory } from './balancer.js';

/** The algorithms by name. Two of one name, and an unknown name, are errors at load, never at a request. */
export class BalancerRegistry {
  readonly #factories = new Map<string, BalancerFactory>();

  constructor(factories: readonly BalancerFactory[]) {
    for (const factory of factories) {
      if (this.#factories.has(factory.name))
        throw new Error(`balancing: two algorithms named ${factory.name}`);
      this.#factories.set(factory.name, factory);
    }
  }

  /** Throws for a name that no algorithm has. */
  named(name: string): BalancerFactory {
    const factory = this.#factories.get(name);
    if (!factory) {
      throw new Error(
        `balancing: unknown algorithm ${name}, expected one of ${[...this.#factories.keys()].join(', ')}`,
      );
    }
    return factory;
  }
}
