import type { Snapshot } from '../exchange/snapshot.js';

/** Route ids and upstream names (as `upstream:name`) by what became of them. */
export interface SnapshotDiff {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** What differs between a snapshot and the next one, which shares with it whatever stayed the same. */
export function snapshotDiff(before: Snapshot, after: Snapshot): SnapshotDiff {
  const old = partsOf(before);
  const now = partsOf(after);
  return {
    added: [...now.keys()].filter((key) => !old.has(key)),
    changed: [...now].filter(([key, part]) => old.has(key) && old.get(key) !== part).map(([key]) => key),
    removed: [...old.keys()].filter((key) => !now.has(key)),
  };
}

function partsOf({ routes, upstreams }: Snapshot): Map<string, object> {
  const parts = new Map<string, object>(routes.map(({ id, config }) => [id, config]));
  for (const [name, upstream] of upstreams) parts.set(`upstream:${name}`, upstream);
  return parts;
}
