import { CheckBudget } from '../config/validation/check-budget.js';
import type { JsonSchema } from '../config/validation/schema-check.js';
import { SchemaPattern } from '../config/validation/schema-pattern.js';

/** Turns the texts under one name into the value that is checked. */
export type Coercion = (name: string, texts: readonly string[]) => unknown;

type SchemaMap = Readonly<Record<string, unknown>>;

const NOTHING: Wanted = { types: new Set(), items: new Set() };
/** RFC 8259 §6 */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Keywords whose schemas speak of the same value. */
const SAME_VALUE = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', '$ref'];

/**
 * Parameters and headers are texts; a schema may want numbers, booleans, null and arrays. What it wants is read from
 * `type`, under `properties`, `patternProperties` and `additionalProperties`, through `$ref` to a place in the same schema
 * and through `allOf`, `anyOf`, `oneOf`, `if`, `then`, `else`. A name that takes too many steps of `patternProperties`
 * throws a TooCostly.
 */
export function compileCoercion(schema: JsonSchema): Coercion {
  const known = new Map<string, Wanted>();
  const budget = new CheckBudget();
  const maps = sameValue([schema], schema);
  const objects = maps.map((map) => ({ map, patterns: patternsIn(map, budget) }));
  const wantedOf = (name: string): Wanted => {
    budget.renew();
    return wantedBy(
      objects.flatMap((object) => propertyIn(object, name)),
      schema,
    );
  };
  for (const map of maps)
    for (const name of Object.keys(mapIn(map, 'properties'))) known.set(name, wantedOf(name));
  const isOpen = maps.some((map) => 'patternProperties' in map || isMap(map['additionalProperties']));
  return (name, texts) => {
    const { types, items } = known.get(name) ?? (isOpen ? wantedOf(name) : NOTHING);
    if (!types.has('array') && texts.length === 1) return scalar(texts[0]!, types);
    return texts.map((text) => scalar(text, types.has('array') ? items : types));
  };
}

interface Wanted {
  readonly types: ReadonlySet<string>;
  /** Types of the items of an array. */
  readonly items: ReadonlySet<string>;
}

function wantedBy(schemas: readonly unknown[], root: JsonSchema): Wanted {
  const all = sameValue(schemas, root);
  const items = sameValue(all.flatMap(itemsIn), root);
  return { types: typesIn(all), items: typesIn(items) };
}

function scalar(text: string, types: ReadonlySet<string>): unknown {
  if ((types.has('number') || types.has('integer')) && NUMBER.test(text)) return Number(text);
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return text === '' && types.has('null') ? null : text;
}

function typesIn(schemas: readonly SchemaMap[]): Set<string> {
  return new Set(schemas.flatMap(({ type }) => type as string | string[]));
}

/** The schemas and all that they apply to the same value, each once. */
function sameValue(schemas: readonly unknown[], root: JsonSchema): SchemaMap[] {
  const found = new Set<SchemaMap>();
  const waiting = [...schemas];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (!isMap(next) || found.has(next)) continue;
    found.add(next);
    for (const keyword of SAME_VALUE) {
      const value = next[keyword];
      waiting.push(
        ...(Array.isArray(value)
          ? (value as unknown[])
          : [keyword === '$ref' ? placeIn(root, value) : value]),
      );
    }
  }
  return [...found];
}

interface ObjectSchema {
  readonly map: SchemaMap;
  /** `patternProperties` */
  readonly patterns: readonly (readonly [SchemaPattern, unknown])[];
}

function patternsIn(map: SchemaMap, budget: CheckBudget): ObjectSchema['patterns'] {
  const written = Object.entries(mapIn(map, 'patternProperties'));
  return written.map(([source, schema]) => [new SchemaPattern(source, 'u', budget), schema]);
}

function propertyIn({ map, patterns }: ObjectSchema, name: string): unknown[] {
  const named = mapIn(map, 'properties');
  const matching = patterns.filter(([pattern]) => pattern.test(name)).map(([, schema]) => schema);
  const own = [...(Object.hasOwn(named, name) ? [named[name]] : []), ...matching];
  return own.length > 0 ? own : [map['additionalProperties']];
}

function itemsIn({ items, prefixItems }: SchemaMap): unknown[] {
  return [items, ...(Array.isArray(prefixItems) ? (prefixItems as unknown[]) : [])];
}

/** What a `$ref` of the form `#/$defs/x` names; undefined for another one. */
function placeIn(root: JsonSchema, ref: unknown): unknown {
  if (ref === '#') return root;
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined;
  const tokens = ref
    .slice(2)
    .split('/')
    .map((token) => decoded(token).replaceAll('~1', '/').replaceAll('~0', '~'));
  return tokens.reduce<unknown>(
    (place, token) =>
      typeof place === 'object' && place !== null && Object.hasOwn(place, token)
        ? Reflect.get(place, token)
        : undefined,
    root,
  );
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

function mapIn(schema: SchemaMap, keyword: string): SchemaMap {
  const value = schema[keyword];
  return isMap(value) ? value : {};
}

function isMap(value: unknown): value is SchemaMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
