import { registerHooks, type ResolveFnOutput, type ResolveHookContext } from 'node:module';
import { pathToFileURL } from 'node:url';

import { errorCode } from '../../config/references.js';

/**
 * What extensions share with the gateway, whatever lies beside them: two copies would not know each other's classes,
 * tokens and decorators.
 */
const SHARED = new Set([
  'nexus-gateway',
  '@nestjs/common',
  '@nestjs/core',
  'reflect-metadata',
  'rxjs',
  'class-validator',
  'class-transformer',
]);

/** Asks for a package as a module of other folders would. */
const SCHEME = 'nexus-extension:';

/** The specifier under which, once modules are shared, a package may be imported that the first of the folders has. */
export function seenFrom(folders: readonly string[], name: string): string {
  return SCHEME + JSON.stringify([folders.map((folder) => pathToFileURL(`${folder}/`).href), name]);
}

/** None of the folders, and none above them, has the package. */
export class PackageNotFound extends Error {}

type Resolve = (specifier: string, context: ResolveHookContext) => ResolveFnOutput;

let shared = false;

/**
 * From now on modules outside the gateway get its own copy of what they share with it, also where they have none, so
 * that a single file beside the config document is an extension.
 */
export function shareModules(): void {
  if (shared) return;
  shared = true;
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier.startsWith(SCHEME)) return fromFolders(specifier, context, next);
      const foreign = context.parentURL !== import.meta.url && SHARED.has(packageOf(specifier));
      // Resolved as the gateway's own imports are: `require` would get another copy of some, and of others none.
      return foreign ? { url: import.meta.resolve(specifier), shortCircuit: true } : next(specifier, context);
    },
  });
}

function fromFolders(specifier: string, context: ResolveHookContext, next: Resolve): ResolveFnOutput {
  const [folders, name] = JSON.parse(specifier.slice(SCHEME.length)) as [string[], string];
  for (const parentURL of folders) {
    try {
      return next(name, { ...context, parentURL });
    } catch (error) {
      if (errorCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    }
  }
  throw new PackageNotFound(`no package ${name}`);
}

function packageOf(specifier: string): string {
  const parts = specifier.split('/', 2);
  return specifier.startsWith('@') ? parts.join('/') : parts[0]!;
}
