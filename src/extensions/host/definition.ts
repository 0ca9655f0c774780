import type { CanActivate, NestInterceptor, Type } from '@nestjs/common';

export type ExtensionKind = 'guard' | 'interceptor';

/** What a decorated class says of itself. */
export interface ExtensionDefinition<T = CanActivate | NestInterceptor> {
  readonly kind: ExtensionKind;
  /** The name that `guards` or `interceptors` of a route use. */
  readonly name: string;
  readonly type: Type<T>;
  /** The class-validator class of its options; null = it takes none. */
  readonly options: Type<object> | null;
}

// Not a plain Symbol: a package may come with a copy of this module of its own.
const DEFINITION = Symbol.for('nexus-gateway:extension');

export function define(definition: ExtensionDefinition): void {
  Reflect.defineMetadata(DEFINITION, definition, definition.type);
}

/** What was declared of the class itself; undefined for anything that is no extension. */
export function definitionOf(value: unknown): ExtensionDefinition | undefined {
  if (typeof value !== 'function') return undefined;
  return Reflect.getOwnMetadata(DEFINITION, value) as ExtensionDefinition | undefined;
}
