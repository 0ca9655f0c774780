import type {
  AnyKind,
  DocumentClass,
  Kind,
  ListKind,
  ObjectKind,
  RecordKind,
  ScalarKind,
  UnionKind,
} from './kind.js';
import { text } from './scalars.js';

export interface ListOptions {
  readonly min?: number;
  readonly unique?: boolean;
  readonly single?: boolean;
}

export function listOf(element: Kind, options: ListOptions = {}): ListKind {
  const { min = 0, unique = false, single = false } = options;
  const list = min > 0 ? 'a list of at least one entry, each' : 'a list, each entry';
  const expected = single ? `${element.expected}, or a list of such` : `${list} ${element.expected}`;
  return { shape: 'list', expected, element, min, unique, single };
}

export interface RecordOptions {
  readonly keys?: ScalarKind;
  readonly min?: number;
}

export function recordOf(element: Kind, options: RecordOptions = {}): RecordKind {
  const { keys = text(), min = 0 } = options;
  return { shape: 'record', expected: `a map, each value ${element.expected}`, keys, element, min };
}

export function nested(type: DocumentClass, beside?: DocumentClass): ObjectKind {
  return { shape: 'object', expected: 'a map', type, ...(beside && { beside }) };
}

export function either(...members: readonly Kind[]): UnionKind {
  const expected = members.map((member) => member.expected).join(', or ');
  return { shape: 'union', expected, members };
}

/** Anything at all. */
export function anything(): AnyKind {
  return { shape: 'any', expected: 'anything', map: false };
}

/** A map of anything. */
export function anyMap(): AnyKind {
  return { shape: 'any', expected: 'a map', map: true };
}

/** The kind, or null as itself. */
export function orNull<K extends Kind>(kind: K): K {
  return { ...kind, nullable: 'null' };
}

/** The kind, or null, which switches off: it gives the field's initial value. */
export function orOff<K extends Kind>(kind: K): K {
  return { ...kind, nullable: 'default' };
}
