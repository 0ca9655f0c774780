/** A document's text as a tree, the same for YAML and JSON; offsets point into the text. */
export type SourceNode = ScalarNode | ListNode | MapNode;

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly offset: number;
  readonly value: string | number | boolean | null;
}

export interface ListNode {
  readonly kind: 'list';
  readonly offset: number;
  readonly items: readonly SourceNode[];
}

export interface MapNode {
  readonly kind: 'map';
  readonly offset: number;
  readonly entries: readonly MapEntry[];
}

export interface MapEntry {
  readonly key: string;
  readonly keyOffset: number;
  readonly value: SourceNode;
}

export interface SourceProblem {
  readonly offset: number;
  readonly message: string;
}

export interface Source {
  /** Null when there is nothing to read. */
  readonly root: SourceNode | null;
  readonly problems: readonly SourceProblem[];
}

/** Deeper nesting is refused: no document of ours needs it, and readers recurse. */
export const MAX_DEPTH = 64;
