/** An answer under way that might be stored. */
export interface Storing {
  readonly about: { readonly group: string; readonly route: string };
  /** What it brings was changed meanwhile: it is not stored. */
  outdated(): void;
}

/** All answers under way that might be stored: an unsafe request makes those of before it worthless. */
export class Fetches {
  readonly #storing = new Set<Storing>();

  add(fetch: Storing): void {
    this.#storing.add(fetch);
  }

  remove(fetch: Storing): void {
    this.#storing.delete(fetch);
  }

  invalidateGroup(group: string): void {
    for (const fetch of this.#storing) if (fetch.about.group === group) fetch.outdated();
  }

  invalidateRoute(route: string): void {
    for (const fetch of this.#storing) if (fetch.about.route === route) fetch.outdated();
  }
}
