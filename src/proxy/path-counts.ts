import type { Snapshot, SnapshotListener } from '../exchange/snapshot.js';

/** Counts since the start, by the route's configured path and by a label. */
export class PathCounts<Label extends string> implements SnapshotListener {
  readonly #paths = new Map<string, Map<Label, number>>();
  /** Null before the first snapshot. */
  #known: ReadonlySet<string> | null = null;

  /** @param always labels that a path shows from its first count on, at 0 where there is none of them yet */
  constructor(private readonly always: readonly Label[] = []) {}

  count(path: string, label: Label): void {
    if (this.#known !== null && !this.#known.has(path)) return;
    const counts = this.#paths.get(path) ?? new Map(this.always.map((each) => [each, 0]));
    this.#paths.set(path, counts.set(label, (counts.get(label) ?? 0) + 1));
  }

  /** The series of a removed path go with it, and what is counted late does not bring them back. */
  applied({ routes }: Pick<Snapshot, 'routes'>): void {
    const paths = new Set(routes.map(({ path }) => path));
    this.#known = paths;
    for (const path of this.#paths.keys()) if (!paths.has(path)) this.#paths.delete(path);
  }

  protected *counts(): Iterable<{ path: string; label: Label; count: number }> {
    for (const [path, counts] of this.#paths) {
      for (const [label, count] of counts) yield { path, label, count };
    }
  }
}
