import type { ModuleMetadata } from '@nestjs/common';

import { definitionOf, type ExtensionDefinition } from './definition.js';

/** Why a module cannot be used, as the rest of a sentence that begins with its name. */
export class ExtensionFault extends Error {}

type Exports = Readonly<Record<string, unknown>>;
type ProviderList = NonNullable<ModuleMetadata['providers']>;
type ImportList = NonNullable<ModuleMetadata['imports']>;

/** What one JavaScript module brings: its extensions, and what their constructors may ask for. */
export interface ExtensionModule {
  /** As the document names it. */
  readonly specifier: string;
  readonly extensions: readonly ExtensionDefinition[];
  readonly providers: ProviderList;
  readonly imports: ImportList;
}

/**
 * Reads a module's exports: classes decorated with `@GatewayGuard` or `@GatewayInterceptor` under any name, and the
 * lists `providers` and `imports`, which mean what they mean to Nest's `@Module`. Throws an ExtensionFault.
 */
export function readExports(specifier: string, exported: Exports): ExtensionModule {
  const all = withCommonJs(exported);
  const definitions = Object.values(all).map(definitionOf);
  const extensions = [...new Set(definitions.filter((definition) => definition !== undefined))];
  if (extensions.length === 0) {
    throw new ExtensionFault(
      'exports no guard and no interceptor, expected a class with @GatewayGuard or @GatewayInterceptor',
    );
  }
  return {
    specifier,
    extensions,
    providers: listIn(all, 'providers') as ProviderList,
    imports: listIn(all, 'imports') as ImportList,
  };
}

/** Node gives what a CommonJS module exports as its default. */
function withCommonJs(exported: Exports): Exports {
  const { default: main } = exported;
  return typeof main === 'object' && main !== null ? { ...main, ...exported } : exported;
}

function listIn(exported: Exports, name: string): unknown[] {
  const list = exported[name] ?? [];
  if (!Array.isArray(list)) throw new ExtensionFault(`exports ${name} that is no list, expected an array`);
  return list;
}
