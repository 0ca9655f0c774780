import { sameData } from '../common/same-data.js';
import { GatewayConfig } from '../config/gateway.config.js';
import { keysOf } from '../config/keys/key.js';
import type { Snapshot } from '../exchange/snapshot.js';

/** Route ids and upstream names (as `upstream:name`) by what became of them, and what changed beside them. */
export interface SnapshotDiff {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Other top-level keys of the document. */
  readonly document: readonly string[];
}

/** What differs between a snapshot and the next one, which shares with it whatever stayed the same. */
export function snapshotDiff(before: Snapshot, after: Snapshot): SnapshotDiff {
  const old = partsOf(before);
  const now = partsOf(after);
  return {
    added: [...now.keys()].filter((key) => !old.has(key)),
    changed: [...now].filter(([key, part]) => old.has(key) && old.get(key) !== part).map(([key]) => key),
    removed: [...old.keys()].filter((key) => !now.has(key)),
    document: changedKeys(before.config, after.config),
  };
}

function changedKeys(before: Readonly<GatewayConfig>, after: Readonly<GatewayConfig>): string[] {
  const keys = [...keysOf(GatewayConfig).keys()].filter((key) => key !== 'routes' && key !== 'upstreams');
  return keys.filter((key) => !sameData(Reflect.get(before, key), Reflect.get(after, key)));
}

function partsOf({ routes, upstreams }: Snapshot): Map<string, object> {
  const parts = new Map<string, object>(routes.map(({ id, config }) => [id, config]));
  for (const [name, upstream] of upstreams) parts.set(`upstream:${name}`, upstream);
  return parts;
}
