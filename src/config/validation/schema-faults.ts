import { SchemaFault } from './schema-fault.js';
import { endlessPlace } from './schema-loops.js';
import { isMap, partsOf, type SchemaPart } from './schema-parts.js';

/** Where ajv leaves `__proto__` out without a word. */
const WITHOUT_PROTO = ['properties', 'patternProperties', 'dependentSchemas'] as const;

/** What ajv compiles and then does not check, or never ends to. Throws a {@link SchemaFault}. */
export function demandCheckable(schema: unknown): void {
  const parts = partsOf(schema);
  for (const part of parts) demandKnown(part);
  const place = endlessPlace(parts);
  if (place === null) return;
  throw new SchemaFault(`its part ${place} refers to itself without going into the value`);
}

/** ajv takes what every object inherits for keywords that it knows. */
function demandKnown({ map, place }: SchemaPart): void {
  const unknown = Object.keys(map).find((keyword) => keyword in Object.prototype);
  if (unknown !== undefined) throw new SchemaFault(`unknown keyword: "${unknown}" at ${place}`);
  for (const keyword of WITHOUT_PROTO) {
    const named = map[keyword];
    if (!isMap(named) || !Object.hasOwn(named, '__proto__')) continue;
    const instead = 'expected patternProperties with ^__proto__$';
    throw new SchemaFault(`__proto__ in ${keyword} at ${place} would not be checked, ${instead}`);
  }
}
