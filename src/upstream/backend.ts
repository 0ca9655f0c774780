import type { Backend } from '../exchange/upstream.js';

/** A url's parts as the path needs them. */
export interface BackendAddress {
  readonly origin: URL;
  /** Without trailing slash; empty for none. */
  readonly basePath: string;
}

/** Takes a backend's url apart; the loader has refused anything but absolute http and https urls. */
export function backendAddress(url: string): BackendAddress {
  const { origin, pathname } = new URL(url);
  return { origin: new URL(origin), basePath: pathname.replace(/\/+$/, '') };
}

/** What identifies a backend without an `id`: scheme and host in lower case, no default port, no slash at the end. */
export function normalisedUrl({ origin, basePath }: BackendAddress): string {
  return origin.origin + basePath;
}

export interface CompiledBackend extends Backend {
  /** The pool serves the backend after a reload too while this stays the same. */
  readonly poolKey: string;
}
