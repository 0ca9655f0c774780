import type { ExtensionUse, RouteConfig } from '../../config/route.config.js';
import type { OptionProblem, Registered } from '../../config/draft.js';
import type { ExtensionDefinition, ExtensionKind } from './definition.js';
import { ExtensionFault, type ExtensionModule } from './extension-module.js';
import { readOptions } from './read-options.js';

/** Where each kind stands in a route. */
export const ROUTE_KEYS = { guard: 'guards', interceptor: 'interceptors' } as const satisfies Record<
  ExtensionKind,
  keyof RouteConfig
>;

export interface Registration {
  readonly module: ExtensionModule;
  readonly definition: ExtensionDefinition;
}

/** All guards and interceptors that documents may name. */
export class ExtensionRegistry implements Registered {
  readonly #byName = { guard: new Map<string, Registration>(), interceptor: new Map<string, Registration>() };
  readonly #modules: ExtensionModule[] = [];

  /** @param extensions what the document lists, in its order: it may not change while these are loaded */
  constructor(readonly extensions: readonly string[] = []) {}

  get modules(): readonly ExtensionModule[] {
    return this.#modules;
  }

  get guards(): readonly string[] {
    return [...this.#byName.guard.keys()];
  }

  get interceptors(): readonly string[] {
    return [...this.#byName.interceptor.keys()];
  }

  /** Throws an ExtensionFault, and adds nothing, when one of its names is taken. */
  add(module: ExtensionModule): void {
    const fresh = module.extensions.filter((definition) => this.#isNew(definition, module));
    this.#modules.push(module);
    for (const definition of fresh)
      this.#byName[definition.kind].set(definition.name, { module, definition });
  }

  find(kind: ExtensionKind, name: string): Registration | undefined {
    return this.#byName[kind].get(name);
  }

  /** What is wrong with the options of a registered extension's use. */
  judge(key: 'guards' | 'interceptors', { name, options }: ExtensionUse): readonly OptionProblem[] {
    const found = this.find(key === 'guards' ? 'guard' : 'interceptor', name);
    return found ? readOptions(found.definition.options, options).problems : [];
  }

  /** False for the same class again, out of a module that passes on another one's exports. */
  #isNew(definition: ExtensionDefinition, module: ExtensionModule): boolean {
    const { kind, name, type } = definition;
    const twin = module.extensions.find(
      (other) => other !== definition && other.kind === kind && other.name === name,
    );
    if (twin)
      throw new ExtensionFault(`declares two ${ROUTE_KEYS[kind]} ${name}: ${type.name}, ${twin.type.name}`);
    const known = this.find(kind, name);
    if (known && known.definition.type !== type)
      throw new ExtensionFault(
        `declares a ${kind} ${name}, but ${known.module.specifier} does too, expected another name`,
      );
    return known === undefined;
  }
}
