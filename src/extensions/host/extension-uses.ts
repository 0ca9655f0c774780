import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import type { CanActivate, NestInterceptor } from '@nestjs/common';
import { ContextIdFactory, type ModuleRef } from '@nestjs/core';

import { ConfigError } from '../../config/errors.js';
import type { GatewayConfig } from '../../config/gateway.config.js';
import { issueIn } from '../../config/places.js';
import type { ExtensionUse, RouteConfig } from '../../config/route.config.js';
import type { Snapshot, SnapshotListener, SnapshotPreparer } from '../../exchange/snapshot.js';
import type { GuardFactory, InterceptorFactory } from '../../exchange/stage.js';
import { CheckedGuard } from './checked-guard.js';
import type { ExtensionKind } from './definition.js';
import type { ExtensionModule } from './extension-module.js';
import { type ExtensionRegistry, ROUTE_KEYS } from './extension-registry.js';
import { readOptions } from './read-options.js';

interface Use {
  readonly written: ExtensionUse;
  readonly instance: CanActivate | NestInterceptor;
}

/** The uses of one document, by route id, kind and position. */
type Uses = Map<string, Use>;

/** Instances made before the event loop gets its turn. */
const SLICE = 50;

/**
 * An instance for each use of an extension in a document, made by Nest with the options of that use. A use that a
 * reload leaves as it was keeps its instance.
 */
export class ExtensionUses implements SnapshotPreparer, SnapshotListener, GuardFactory, InterceptorFactory {
  readonly stage = 'guards';
  readonly #prepared = new WeakMap<Readonly<GatewayConfig>, Uses>();
  #current: Uses = new Map();

  constructor(
    private readonly registry: ExtensionRegistry,
    private readonly refs: ReadonlyMap<ExtensionModule, ModuleRef>,
  ) {}

  async prepare(document: Readonly<GatewayConfig>): Promise<void> {
    const uses: Uses = new Map();
    for (const route of document.routes) {
      for (const kind of ['guard', 'interceptor'] as const) {
        for (const [index, written] of route[ROUTE_KEYS[kind]].entries()) {
          const key = keyOf(route, kind, index);
          uses.set(key, this.#kept(key, written) ?? (await this.#make(document, route, kind, index)));
          if (uses.size % SLICE === 0) await setImmediate();
        }
      }
    }
    this.#prepared.set(document, uses);
  }

  applied({ config }: Snapshot): void {
    this.#current = this.#prepared.get(config) ?? new Map();
  }

  guardFor(route: Readonly<RouteConfig>, document: Readonly<GatewayConfig>): CanActivate[] | undefined {
    if (route.guards.length === 0) return undefined;
    return this.#instances<CanActivate>(route, document, 'guard').map((guard) => new CheckedGuard(guard));
  }

  interceptorsFor(
    route: Readonly<RouteConfig>,
    document: Readonly<GatewayConfig>,
  ): readonly NestInterceptor[] {
    return this.#instances<NestInterceptor>(route, document, 'interceptor');
  }

  #instances<T extends CanActivate | NestInterceptor>(
    route: Readonly<RouteConfig>,
    document: Readonly<GatewayConfig>,
    kind: ExtensionKind,
  ): T[] {
    const uses = this.#prepared.get(document);
    return route[ROUTE_KEYS[kind]].map((_, index) => uses?.get(keyOf(route, kind, index))?.instance as T);
  }

  #kept(key: string, written: ExtensionUse): Use | undefined {
    const known = this.#current.get(key);
    if (known?.written.name !== written.name) return undefined;
    return isDeepStrictEqual(known.written.options, written.options) ? known : undefined;
  }

  async #make(
    document: Readonly<GatewayConfig>,
    route: Readonly<RouteConfig>,
    kind: ExtensionKind,
    index: number,
  ): Promise<Use> {
    const uses = route[ROUTE_KEYS[kind]];
    const written = uses[index]!;
    try {
      return { written, instance: await this.#create(kind, written) };
    } catch (error) {
      const message = `the ${kind} ${written.name} cannot be made: ${String(error)}`;
      throw new ConfigError([issueIn(document, uses, index, message)]);
    }
  }

  /** Nest's own request scope carries the options: to it, a use is what a request is elsewhere. */
  async #create(kind: ExtensionKind, { name, options }: ExtensionUse): Promise<Use['instance']> {
    const found = this.registry.find(kind, name);
    if (!found) throw new Error(`no ${kind} of that name is registered`);
    const { instance, problems } = readOptions(found.definition.options, options);
    if (problems.length > 0)
      throw new Error(problems.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '));
    const ref = this.refs.get(found.module)!;
    const contextId = ContextIdFactory.create();
    ref.registerRequestByContextId(instance, contextId);
    return ref.create(found.definition.type, contextId);
  }
}

function keyOf({ id }: Readonly<RouteConfig>, kind: ExtensionKind, index: number): string {
  return `${id} ${kind} ${index}`;
}
