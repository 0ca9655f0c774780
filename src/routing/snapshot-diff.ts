import { isDeepStrictEqual } from 'node:util';

import type { Snapshot } from '../exchange/snapshot.js';

/** Route ids and upstream names (as `upstream:name`) by what became of them. */
export interface SnapshotDiff {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** What differs between two snapshots, for the log of a reload. */
export function snapshotDiff(before: Snapshot, after: Snapshot): SnapshotDiff {
  const old = partsOf(before);
  const now = partsOf(after);
  return {
    added: [...now.keys()].filter((key) => !old.has(key)),
    changed: [...now]
      .filter(([key, part]) => old.has(key) && !isDeepStrictEqual(old.get(key), part))
      .map(([key]) => key),
    removed: [...old.keys()].filter((key) => !now.has(key)),
  };
}

function partsOf({ config }: Snapshot): Map<string, object> {
  const parts = new Map<string, object>(config.routes.map((route) => [route.id, route]));
  for (const [name, upstream] of Object.entries(config.upstreams)) parts.set(`upstream:${name}`, upstream);
  return parts;
}
