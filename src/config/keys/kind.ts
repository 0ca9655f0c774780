export type JsonSchema = Readonly<Record<string, unknown>>;
export type ScalarValue = string | number | boolean | null;
// Classes of the document are made without arguments: their fields hold the defaults.
export type DocumentClass = new () => object;

/**
 * What a key may hold: one declaration from which reading, validation and the JSON Schema follow.
 * `expected` is a noun phrase that ends the sentence "…, expected".
 */
export type Kind = ScalarKind | ListKind | RecordKind | ObjectKind | UnionKind | AnyKind;

interface KindBase {
  readonly expected: string;
  /** Whether null may stand here, and what it means: itself or the key's default. */
  readonly nullable?: 'null' | 'default';
}

export interface ScalarKind extends KindBase {
  readonly shape: 'scalar';
  readonly schema: JsonSchema;
  /** Whether the type fits, without judging the value. */
  takes(value: unknown): boolean;
  /** What is wrong with a value of the right type ("is out of range"), or undefined. */
  check(value: never): string | undefined;
  /** How to write what was probably meant. */
  hint?(value: unknown): string | undefined;
  /** The value that the text of a reference stands for; undefined = none of this kind. */
  fromText?(text: string): ScalarValue | undefined;
  /** Relative files lie beside the document. */
  readonly path?: boolean;
}

export interface ListKind extends KindBase {
  readonly shape: 'list';
  readonly element: Kind;
  readonly min: number;
  readonly unique: boolean;
  /** A single value may stand for a list of it; it is read as such. */
  readonly single: boolean;
}

export interface RecordKind extends KindBase {
  readonly shape: 'record';
  readonly keys: ScalarKind;
  readonly element: Kind;
  readonly min: number;
}

export interface ObjectKind extends KindBase {
  readonly shape: 'object';
  readonly type: DocumentClass;
  /** A second class whose keys may stand in the same map. */
  readonly beside?: DocumentClass;
}

export interface UnionKind extends KindBase {
  readonly shape: 'union';
  readonly members: readonly Kind[];
}

export interface AnyKind extends KindBase {
  readonly shape: 'any';
  /** Only maps. */
  readonly map: boolean;
}

/** Stands for a value whose fault was reported when it was read, or which is of another shape than asked for. */
export class Misfit {
  constructor(readonly description: string | null) {}
}
