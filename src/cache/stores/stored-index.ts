import type { StoredFilter, StoredSet } from '../cache-store.js';

/** What a route has stored. */
export interface RouteEntries {
  bytes: number;
  readonly keys: Set<string>;
}

/** Which keys belong to a route and to a group, so that clearing them costs what is cleared and not what is kept. */
export class StoredIndex {
  readonly routes = new Map<string, RouteEntries>();
  /** Most groups have one key: no set is made for those. */
  readonly #groups = new Map<string, string | Set<string>>();

  add(key: string, { route, group }: StoredSet, bytes: number): void {
    const entries = this.routes.get(route) ?? { bytes: 0, keys: new Set() };
    this.routes.set(route, entries);
    entries.keys.add(key);
    entries.bytes += bytes;
    const known = this.#groups.get(group);
    if (known === undefined) this.#groups.set(group, key);
    else if (typeof known === 'string') this.#groups.set(group, new Set([known, key]));
    else known.add(key);
  }

  remove(key: string, { route, group }: StoredSet, bytes: number): void {
    const entries = this.routes.get(route)!;
    entries.keys.delete(key);
    entries.bytes -= bytes;
    if (entries.keys.size === 0) this.routes.delete(route);
    const known = this.#groups.get(group);
    if (known instanceof Set) known.delete(key);
    if (typeof known === 'string' || known?.size === 0) this.#groups.delete(group);
  }

  /** The keys among which those meant are; null when it could be any. */
  candidates({ route, group }: StoredFilter): readonly string[] | null {
    if (group !== undefined) return this.#keysOf(group);
    if (route !== undefined) return [...(this.routes.get(route)?.keys ?? [])];
    return null;
  }

  #keysOf(group: string): readonly string[] {
    const known = this.#groups.get(group);
    if (known === undefined) return [];
    return typeof known === 'string' ? [known] : [...known];
  }
}

/** Whether all that is given holds for the set. */
export function isMeant(set: StoredSet, { route, path, group }: StoredFilter): boolean {
  return (
    (route === undefined || set.route === route) &&
    (path === undefined || set.path === path) &&
    (group === undefined || set.group === group)
  );
}
