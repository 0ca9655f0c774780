import { Injectable } from '@nestjs/common';

/** What happened to the entries of one route since the start: plain numbers, read at a scrape. */
export interface RouteCacheCounts {
  /** Id of the route. */
  readonly route: string;
  /** The route's configured path, as the snapshot in force has it. */
  path: string;
  /** Answers from the store, stale and revalidated ones included. */
  hits: number;
  /** Requests that the upstream had to answer because nothing stored could. */
  misses: number;
  /** Answers put into the store, also those renewed by a 304. */
  stores: number;
  /** Entries that had to make room. */
  evictions: number;
  /** Entries removed by unsafe requests. */
  invalidations: number;
}

/** The counts of all routes that cache, by route id; they outlive reloads. */
@Injectable()
export class CacheCounts {
  readonly #routes = new Map<string, RouteCacheCounts>();

  /**
   * The counts of a route: the same object at every call. Asked while a document is compiled, which may be refused yet:
   * `path` is for a route that is new.
   */
  of(route: string, path: string): RouteCacheCounts {
    const known = this.#routes.get(route);
    if (known) return known;
    const counts = { route, path, hits: 0, misses: 0, stores: 0, evictions: 0, invalidations: 0 };
    this.#routes.set(route, counts);
    return counts;
  }

  /** An entry of this route had to make room; not counted for a route that is gone. */
  evicted(route: string): void {
    const counts = this.#routes.get(route);
    if (counts) counts.evictions++;
  }

  /** These are in force: forgets all others. */
  keep(routes: Iterable<{ readonly id: string; readonly path: string }>): void {
    const paths = new Map(Array.from(routes, ({ id, path }) => [id, path]));
    for (const counts of this.#routes.values()) {
      const path = paths.get(counts.route);
      if (path === undefined) this.#routes.delete(counts.route);
      else counts.path = path;
    }
  }

  all(): Iterable<Readonly<RouteCacheCounts>> {
    return this.#routes.values();
  }
}
