import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  type YAMLError,
  type YAMLMap,
} from 'yaml';

import {
  type MapEntry,
  type MapNode,
  MAX_DEPTH,
  type Source,
  type SourceNode,
  type SourceProblem,
} from './node.js';

/** Reads YAML 1.2 (core schema, one document); aliases and merge keys (`<<`) are followed. */
export function readYaml(text: string): Source {
  let document: Document.Parsed;
  try {
    // Keys are compared by our own reader, which knows their path.
    document = parseDocument(text, { prettyErrors: false, uniqueKeys: false, merge: false });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { root: null, problems: [{ offset: 0, message: tooDeep() }] };
  }
  const faults = [...document.errors, ...document.warnings].map((fault) => syntaxProblem(text, fault));
  const converter = new Converter();
  const root = document.contents ? converter.node(document.contents, 0, 0) : null;
  return { root, problems: [...faults, ...converter.problems] };
}

const tooDeep = (): string => `is nested too deeply, expected at most ${MAX_DEPTH} levels`;

function syntaxProblem(text: string, fault: YAMLError): SourceProblem {
  const [start] = fault.pos;
  if (fault.code === 'MULTIPLE_DOCS')
    return { offset: start, message: 'begins a second document, expected one' };
  // The parser's own words for a recursion that has no end.
  if (fault.message.includes('call stack')) return { offset: start, message: tooDeep() };
  const inReference = text.slice(Math.max(0, start - 2), start + 1).includes('${');
  const hint = inReference ? ' (inside { } and [ ] a reference needs quotes: "${NAME}")' : '';
  return { offset: start, message: `is not YAML: ${fault.message}${hint}` };
}

class Converter {
  readonly problems: SourceProblem[] = [];
  /** Filled when a node is complete, so that an alias inside its own anchor finds nothing. */
  private readonly anchors = new Map<string, SourceNode>();

  node(node: Node | null, fallback: number, depth: number): SourceNode {
    const offset = node?.range?.[0] ?? fallback;
    if (depth > MAX_DEPTH) return this.problem(offset, tooDeep());
    if (node === null) return { kind: 'scalar', offset: fallback, value: null };
    if (isAlias(node)) return this.alias(node, offset);
    const converted = this.convert(node, offset, fallback, depth);
    if ('anchor' in node && node.anchor) this.anchors.set(node.anchor, converted);
    return converted;
  }

  private convert(node: Node, offset: number, fallback: number, depth: number): SourceNode {
    if (isMap(node)) return { kind: 'map', offset, entries: this.entries(node, depth) };
    if (isSeq(node)) {
      const items = node.items.map((item) => this.node(isNode(item) ? item : null, offset, depth + 1));
      return { kind: 'list', offset, items };
    }
    return this.scalar(node as Scalar, offset, fallback);
  }

  private scalar(node: Scalar, offset: number, fallback: number): SourceNode {
    const { value } = node;
    if (value === null || value === undefined) {
      return { kind: 'scalar', offset: node.source ? offset : fallback, value: null };
    }
    if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') {
      return { kind: 'scalar', offset, value };
    }
    return this.problem(offset, 'is of an unknown type, expected a text, number, true, false, list or map');
  }

  private alias(node: Alias, offset: number): SourceNode {
    const target = this.anchors.get(node.source);
    return (
      target ?? this.problem(offset, `*${node.source} names no anchor before it, expected &${node.source}`)
    );
  }

  private entries(map: YAMLMap, depth: number): MapEntry[] {
    const entries: MapEntry[] = [];
    const merged: SourceNode[] = [];
    for (const pair of map.items) {
      const entry = this.entry(pair, depth);
      if (!entry) continue;
      if (isMergeKey(pair)) merged.push(entry.value);
      else entries.push(entry);
    }
    return merged.length === 0 ? entries : this.merge(entries, merged);
  }

  private entry(pair: Pair, depth: number): MapEntry | null {
    const key = isAlias(pair.key) ? this.node(pair.key, 0, depth) : pair.key;
    const keyOffset = isNode(pair.key) ? (pair.key.range?.[0] ?? 0) : 0;
    const name = isScalar(key) ? keyText(key) : isSourceScalar(key) ? String(key.value) : undefined;
    if (name === undefined) {
      this.problem(keyOffset, 'is a list or map in the place of a key, expected a text');
      return null;
    }
    const value = isNode(pair.value) ? pair.value : null;
    return { key: name, keyOffset, value: this.node(value, keyOffset, depth + 1) };
  }

  /** Keys of the map itself win over merged ones, earlier merged maps over later ones. */
  private merge(entries: MapEntry[], merged: readonly SourceNode[]): MapEntry[] {
    const maps: MapNode[] = [];
    for (const node of merged.flatMap((value) => (value.kind === 'list' ? value.items : [value]))) {
      if (node.kind === 'map') maps.push(node);
      else this.problem(node.offset, '<< merges something else than a map, expected a map or a list of maps');
    }
    const known = new Set(entries.map((entry) => entry.key));
    for (const entry of maps.flatMap((map) => map.entries)) {
      if (!known.has(entry.key)) entries.push(entry);
      known.add(entry.key);
    }
    return entries;
  }

  private problem(offset: number, message: string): SourceNode {
    this.problems.push({ offset, message });
    return { kind: 'scalar', offset, value: null };
  }
}

function isMergeKey(pair: Pair): boolean {
  return isScalar(pair.key) && pair.key.value === '<<' && pair.key.type === 'PLAIN';
}

function keyText(key: Scalar): string {
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
}

function isSourceScalar(key: unknown): key is { kind: 'scalar'; value: unknown } {
  return typeof key === 'object' && key !== null && 'kind' in key && key.kind === 'scalar';
}
