import { resolve } from 'node:path';

import { nearest } from '../common/edit-distance.js';
import { Judge } from './judge.js';
import { initialValue, type KeySpec, keysOf, sectionName } from './keys/key.js';
import {
  type DocumentClass,
  type Kind,
  type ListKind,
  Misfit,
  type ObjectKind,
  type UnionKind,
} from './keys/kind.js';
import { expandReferences, type ReferenceSource } from './references.js';
import type { Report } from './report.js';
import { hide, MASK } from './secrets.js';
import type { ListNode, MapEntry, MapNode, ScalarNode, SourceNode } from './source/node.js';
import { joinPath } from './trace.js';

/** Anchors let a short text stand for a giant document; no real one comes near. */
const MAX_VALUES = 1_000_000;

/** What is being read: the value of `owner` under `key`. */
interface Slot {
  readonly owner: object;
  readonly key: string | number;
  readonly path: string;
  readonly spec: KeySpec;
}

/** Thrown when the document is larger than any reader should follow. */
export class DocumentTooLarge extends Error {
  override readonly message = `holds more than ${MAX_VALUES} values, expected fewer (are aliases nested?)`;
}

/** Makes document classes out of a document's tree and has each judged by its own constraints. */
export class Reader {
  private values = 0;

  constructor(
    private readonly references: ReferenceSource,
    private readonly report: Report,
    private readonly judge: Judge,
  ) {}

  /** Always gives an object: what is wrong is reported and left at its default. */
  read<T extends object>(type: new () => T, node: MapNode): T {
    return this.object({ type }, node, '') as T;
  }

  private object(kind: Pick<ObjectKind, 'type' | 'beside'>, node: MapNode, path: string): object {
    const instance = new kind.type();
    const companion = kind.beside ? new kind.beside() : undefined;
    for (const target of companion ? [instance, companion] : [instance]) {
      this.report.trace.add(target, path, node.offset);
    }
    for (const entry of this.uniqueEntries(node, path)) this.property(kind, entry, instance, companion, path);
    this.judge.object(instance);
    if (companion && this.report.trace.keys(companion).length > 0) {
      this.report.trace.setCompanion(instance, companion);
      this.judge.object(companion, false);
    }
    return instance;
  }

  private property(
    kind: Pick<ObjectKind, 'type' | 'beside'>,
    entry: MapEntry,
    instance: object,
    companion: object | undefined,
    path: string,
  ): void {
    const own = keysOf(kind.type).get(entry.key);
    const spec = own ?? (kind.beside ? keysOf(kind.beside).get(entry.key) : undefined);
    const target = own ? instance : companion;
    if (!spec || !target) return this.unknownKey(kind, entry, path);
    this.report.trace.addKey(target, entry.key, entry.value.offset);
    const slot: Slot = { owner: target, key: entry.key, path: joinPath(path, entry.key), spec };
    Reflect.set(target, entry.key, this.value(spec.kind, entry.value, slot));
  }

  private unknownKey(kind: Pick<ObjectKind, 'type' | 'beside'>, entry: MapEntry, path: string): void {
    const types: DocumentClass[] = kind.beside ? [kind.type, kind.beside] : [kind.type];
    const known = types.flatMap((type) => [...keysOf(type).keys()]).filter((name) => name !== '$schema');
    const near = nearest(entry.key, known);
    const expected = near ? `did you mean ${near}?` : `expected one of ${known.join(', ')}`;
    const place = path === '' ? 'of the document' : `of ${sectionName(kind.type)}`;
    this.report.spot(
      { path: joinPath(path, entry.key), offset: entry.keyOffset },
      `is not a known key ${place}, ${expected}`,
    );
  }

  private uniqueEntries(node: MapNode, path: string): MapEntry[] {
    const first = new Map<string, MapEntry>();
    for (const entry of node.entries) {
      if (!first.has(entry.key)) {
        first.set(entry.key, entry);
        continue;
      }
      const message = 'is written twice in this map, expected once';
      this.report.spot({ path: joinPath(path, entry.key), offset: entry.keyOffset }, message);
    }
    return [...first.values()];
  }

  private value(kind: Kind, node: SourceNode, slot: Slot): unknown {
    if (++this.values > MAX_VALUES) throw new DocumentTooLarge();
    if (node.kind === 'scalar' && node.value === null && kind.nullable) {
      return kind.nullable === 'null' ? null : initialValue(slot.spec);
    }
    if (kind.shape === 'union') return this.unionValue(kind, node, slot);
    if (kind.shape === 'list') return this.listValue(kind, node, slot);
    if (kind.shape === 'any') return this.anyValue(kind, node, slot);
    if (node.kind === 'map' && kind.shape === 'object') return this.object(kind, node, slot.path);
    if (node.kind === 'map' && kind.shape === 'record') {
      return this.mapValue(Object.create(null) as object, kind.element, node, slot);
    }
    return this.other(kind, node, slot);
  }

  private unionValue(kind: UnionKind, node: SourceNode, slot: Slot): unknown {
    if (node.kind === 'scalar') return this.scalar(kind, node, slot);
    const shapes = node.kind === 'map' ? ['object', 'record', 'any'] : ['list'];
    const member = kind.members.find(({ shape }) => shapes.includes(shape));
    return member ? this.value(member, node, slot) : this.other(kind, node, slot);
  }

  /** A single value, or something that does not belong here: the judge says so. */
  private other(kind: Kind, node: SourceNode, slot: Slot): unknown {
    return node.kind === 'scalar' ? this.scalar(kind, node, slot) : new Misfit(`a ${node.kind}`);
  }

  private listValue(kind: ListKind, node: SourceNode, slot: Slot): unknown {
    if (node.kind === 'list') return this.items(kind.element, node, node, slot);
    const single = kind.single && !(node.kind === 'scalar' && node.value === null);
    return single ? this.items(kind.element, null, node, slot) : this.other(kind, node, slot);
  }

  private items(element: Kind, list: ListNode | null, node: SourceNode, slot: Slot): unknown[] {
    const items: unknown[] = [];
    this.report.trace.add(items, slot.path, node.offset);
    for (const [index, item] of (list?.items ?? [node]).entries()) {
      this.report.trace.addKey(items, index, item.offset);
      const path = list ? joinPath(slot.path, index) : slot.path;
      items.push(this.value(element, item, { ...slot, owner: items, key: index, path }));
    }
    return items;
  }

  private mapValue(map: object, element: Kind, node: MapNode, slot: Slot): object {
    this.report.trace.add(map, slot.path, node.offset);
    for (const { key, value } of this.uniqueEntries(node, slot.path)) {
      this.report.trace.addKey(map, key, value.offset);
      const item = this.value(element, value, { ...slot, owner: map, key, path: joinPath(slot.path, key) });
      // Defined, not set: `__proto__` is a key like any other here.
      Object.defineProperty(map, key, { value: item, enumerable: true, writable: true, configurable: true });
    }
    return map;
  }

  private anyValue(kind: Kind, node: SourceNode, slot: Slot): unknown {
    const inner: Kind = { shape: 'any', expected: 'anything', map: false };
    if (node.kind === 'map') return this.mapValue({}, inner, node, slot);
    if (node.kind === 'list') return this.items(inner, node, node, slot);
    return this.scalar(kind, node, slot);
  }

  private scalar(kind: Kind, node: ScalarNode, slot: Slot): unknown {
    if (slot.spec.secret && node.value !== null) hide(slot.owner, slot.key, MASK);
    const value = typeof node.value === 'string' ? this.expanded(kind, node.value, node, slot) : node.value;
    return typeof value === 'string' && kind.shape === 'scalar' && kind.path
      ? resolve(this.references.directory, value)
      : value;
  }

  private expanded(kind: Kind, text: string, node: ScalarNode, slot: Slot): unknown {
    if (!text.includes('${')) return text;
    const { text: expanded, shown, problems } = expandReferences(text, this.references);
    for (const problem of problems) this.report.spot({ path: slot.path, offset: node.offset }, problem);
    if (problems.length > 0) return new Misfit(null);
    if (shown === null) return expanded;
    hide(slot.owner, slot.key, shown);
    return fromText(kind, expanded);
  }
}

/** What the text of a reference is, where a number or boolean belongs: a variable has no types. */
function fromText(kind: Kind, text: string): unknown {
  const kinds = kind.shape === 'union' ? kind.members : [kind];
  for (const member of kinds) {
    const value = member.shape === 'scalar' ? member.fromText?.(text) : undefined;
    if (value !== undefined) return value;
  }
  return text;
}
