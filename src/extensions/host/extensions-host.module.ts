import { type DynamicModule, Module, Scope } from '@nestjs/common';
import { ModuleRef, REQUEST } from '@nestjs/core';

import { SNAPSHOT_PREPARER } from '../../exchange/snapshot.js';
import { INTERCEPTORS } from '../../exchange/stage.js';
import { GATEWAY_OPTIONS } from './decorators.js';
import type { ExtensionModule } from './extension-module.js';
import type { ExtensionRegistry } from './extension-registry.js';
import { ExtensionUses } from './extension-uses.js';

/** What a module of extensions brings, in a Nest module of its own: its providers are nobody else's. */
@Module({})
class LoadedModule {
  static for({ providers, imports }: ExtensionModule, ref: symbol): DynamicModule {
    return {
      module: LoadedModule,
      imports,
      providers: [
        ...providers,
        {
          provide: GATEWAY_OPTIONS,
          scope: Scope.REQUEST,
          inject: [REQUEST],
          useFactory: (options: object) => options,
        },
        { provide: ref, inject: [ModuleRef], useFactory: (moduleRef: ModuleRef) => moduleRef },
      ],
      exports: [ref],
    };
  }
}

/** Gives routes the guards and interceptors of the team's own. Global: the pipeline and the proxy ask for them. */
@Module({})
export class ExtensionsHostModule {
  static for(registry: ExtensionRegistry): DynamicModule {
    const { modules } = registry;
    const refs = modules.map(({ specifier }) => Symbol(specifier));
    return {
      module: ExtensionsHostModule,
      global: true,
      imports: modules.map((module, index) => LoadedModule.for(module, refs[index]!)),
      providers: [
        {
          provide: ExtensionUses,
          inject: refs,
          useFactory: (...moduleRefs: ModuleRef[]) =>
            new ExtensionUses(
              registry,
              new Map(modules.map((module, index) => [module, moduleRefs[index]!])),
            ),
        },
        { provide: INTERCEPTORS, useExisting: ExtensionUses },
        { provide: SNAPSHOT_PREPARER, useExisting: ExtensionUses },
      ],
      exports: [ExtensionUses, INTERCEPTORS, SNAPSHOT_PREPARER],
    };
  }
}
