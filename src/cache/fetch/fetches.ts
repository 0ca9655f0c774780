import { Injectable } from '@nestjs/common';

import type { StoredFilter, StoredSet } from '../cache-store.js';

/** An answer under way that might be stored. */
export interface Storing {
  readonly about: Pick<StoredSet, 'route' | 'path' | 'group'>;
  /** What it brings was changed meanwhile: it is not stored. */
  outdated(): void;
}

/** All answers under way that might be stored: whatever clears the store makes those of before it worthless. */
@Injectable()
export class Fetches {
  readonly #storing = new Set<Storing>();

  add(fetch: Storing): void {
    this.#storing.add(fetch);
  }

  remove(fetch: Storing): void {
    this.#storing.delete(fetch);
  }

  /** @param filter which ones: those for which all that is given holds */
  invalidate({ route, path, group }: StoredFilter): void {
    for (const fetch of this.#storing) {
      const { about } = fetch;
      if (route !== undefined && about.route !== route) continue;
      if (path !== undefined && about.path !== path) continue;
      if (group === undefined || about.group === group) fetch.outdated();
    }
  }
}
