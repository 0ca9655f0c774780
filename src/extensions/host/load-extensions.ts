import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { ConfigError, type ConfigIssue } from '../../config/errors.js';
import type { ListedExtension } from '../../config/extension-list.js';
import * as own from '../index.js';
import { ExtensionFault, readExports } from './extension-module.js';
import { ExtensionRegistry } from './extension-registry.js';
import { inTime, LoadedTooLong } from './in-time.js';
import { PackageNotFound, seenFrom, shareModules } from './module-hooks.js';

/** How long one module may take to load, its own top-level `await` among it. */
const LONGEST_MS = 10_000;

/** What comes with the gateway: src/extensions. */
export function ownExtensions(extensions: readonly string[] = []): ExtensionRegistry {
  const registry = new ExtensionRegistry(extensions);
  registry.add(readExports('src/extensions', own));
  return registry;
}

/**
 * Loads what a document lists beside what comes with the gateway. Rejects with a {@link ConfigError} that names every
 * module which cannot be used and why.
 *
 * @param file the document: paths are relative to its folder, packages are looked up from there, then from `cwd`
 * @param longestMs how long one module may take, in milliseconds
 */
export async function loadExtensions(
  listed: readonly ListedExtension[],
  file: string,
  cwd: string,
  longestMs = LONGEST_MS,
): Promise<ExtensionRegistry> {
  const registry = ownExtensions(listed.map(({ specifier }) => specifier));
  if (listed.length === 0) return registry;
  shareModules();
  const folders = [dirname(resolve(file)), cwd];
  const issues: ConfigIssue[] = [];
  // One after the other, in the order of the document: the first to take a name has it.
  for (const { specifier, issue } of listed) {
    try {
      registry.add(readExports(specifier, await inTime(importFrom(folders, specifier), longestMs)));
    } catch (error) {
      issues.push(issue(`${JSON.stringify(specifier)} ${reasonOf(error, folders)}`));
    }
  }
  if (issues.length > 0) throw new ConfigError(issues);
  return registry;
}

type Exports = Readonly<Record<string, unknown>>;

const PATH = /^(\.{0,2}\/|[A-Za-z]:[\\/])/;

async function importFrom(folders: readonly string[], specifier: string): Promise<Exports> {
  if (!PATH.test(specifier)) return imported(seenFrom(folders, specifier));
  const file = resolve(folders[0]!, specifier);
  if (!existsSync(file)) throw new ExtensionFault(`is not found, expected a module at ${file}`);
  return imported(pathToFileURL(file).href);
}

async function imported(specifier: string): Promise<Exports> {
  return (await import(/* @vite-ignore */ specifier)) as Exports;
}

function reasonOf(error: unknown, folders: readonly string[]): string {
  if (error instanceof PackageNotFound) {
    return `is not found, expected a package in node_modules of ${folders.join(' or ')}, or above (a file begins with ./)`;
  }
  if (error instanceof ExtensionFault || error instanceof LoadedTooLong) return error.message;
  return `cannot be loaded: ${String(error).split('\n', 1)[0]}${placeOf(error)}`;
}

const GATEWAY = new URL('../../', import.meta.url).href;

/** Where in the extension's own code it went wrong, as far as that is known. */
function placeOf(error: unknown): string {
  const places = error instanceof Error ? (error.stack?.match(/file:\/\/\S+?:\d+:\d+/g) ?? []) : [];
  const first = places.find((place) => !place.startsWith(GATEWAY));
  return first === undefined ? '' : ` (${first})`;
}
