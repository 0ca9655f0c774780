/** A schema, or a part of one, that is a map. */
export type SchemaMap = Readonly<Record<string, unknown>>;

/** Keywords whose value is a schema, or a list of them, for the same value that the part itself is for. */
export const SAME_VALUE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'] as const;
/** Keywords whose value is a schema, or a list of them, for something inside the value. */
const INSIDE = [
  ...(['items', 'prefixItems', 'contains', 'additionalProperties', 'propertyNames'] as const),
  ...(['unevaluatedItems', 'unevaluatedProperties', 'contentSchema'] as const),
];
/** Keywords whose value is a map of schemas. */
const MAPS = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'] as const;

/** A part of a schema. */
export interface SchemaPart {
  readonly map: SchemaMap;
  /** JSON Pointer from the root on, as `#/…`. */
  readonly place: string;
  /** What relative references in it are relative to. */
  readonly base: string;
}

/** Where a schema without `$id` is said to be. */
const NOWHERE = 'schema:/';

/** The schema and all of its parts; what stands in `const`, `enum` and the like is data. */
export function partsOf(schema: unknown): SchemaPart[] {
  const parts: SchemaPart[] = [];
  const waiting: { value: unknown; place: string; base: string }[] = [
    { value: schema, place: '#', base: NOWHERE },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!isMap(next.value)) continue;
    const { value: map, place } = next;
    const base = resolved(map['$id'], next.base) ?? next.base;
    parts.push({ map, place, base });
    waiting.push(...below(map).map(([path, value]) => ({ value, place: `${place}/${path}`, base })));
  }
  return parts;
}

/** The schemas that a map holds, each behind its path. */
function below(map: SchemaMap): [string, unknown][] {
  const plain = [...SAME_VALUE, ...INSIDE].flatMap((keyword) => eachOf(keyword, map[keyword]));
  const named = MAPS.flatMap((keyword) =>
    isMap(map[keyword])
      ? Object.entries(map[keyword]).map(([name, value]): [string, unknown] => [
          `${keyword}/${escaped(name)}`,
          value,
        ])
      : [],
  );
  return [...plain, ...named];
}

function eachOf(keyword: string, value: unknown): [string, unknown][] {
  if (!Array.isArray(value)) return [[keyword, value]];
  return value.map((item, index) => [`${keyword}/${index}`, item]);
}

/** The reference as an absolute one; undefined where it is none. */
export function resolved(reference: unknown, base: string): string | undefined {
  if (typeof reference !== 'string' || !URL.canParse(reference, base)) return undefined;
  return new URL(reference, base).href.replace(/#$/, '');
}

export function isMap(value: unknown): value is SchemaMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function escaped(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}
