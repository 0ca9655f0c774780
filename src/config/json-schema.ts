import { DocumentConfig } from './document.config.js';
import { initialValue, type KeySpec, keysOf, sectionName } from './keys/key.js';
import type { DocumentClass, JsonSchema, Kind, ObjectKind, ScalarKind } from './keys/kind.js';

const REFERENCE = { $ref: '#/$defs/reference' };

/** The JSON Schema (draft 2020-12) of the config document, made from the classes that validate it. */
export function configJsonSchema(): object {
  return new SchemaWriter().document();
}

class SchemaWriter {
  private readonly defs = new Map<string, JsonSchema>();

  document(): object {
    const { title: _, ...root } = this.object({ type: DocumentConfig });
    return {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'Nexus Gateway configuration',
      description: 'One document with everything the gateway does; see docs/configuration.md.',
      ...root,
      $defs: { reference: referenceSchema(), ...Object.fromEntries(this.defs) },
    };
  }

  private object({ type, beside }: Pick<ObjectKind, 'type' | 'beside'>): JsonSchema {
    const own = [...keysOf(type).values()];
    // Keys of the second class come and go together: none of them is required.
    const further = beside ? [...keysOf(beside).values()] : [];
    const required = own.filter((spec) => spec.required).map((spec) => spec.name);
    const properties = [...own, ...further].map((spec) => [spec.name, this.property(spec)] as const);
    return {
      title: sectionName(type),
      type: 'object',
      additionalProperties: false,
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(properties),
    };
  }

  private property(spec: KeySpec): JsonSchema {
    const standard = defaultOf(spec);
    return {
      description: spec.description,
      ...(standard !== undefined && { default: standard }),
      ...this.schemaOf(spec.kind),
    };
  }

  private schemaOf(kind: Kind): JsonSchema {
    const schema = this.plain(kind);
    return kind.nullable ? { anyOf: [...alternatives(schema), { type: 'null' }] } : schema;
  }

  private plain(kind: Kind): JsonSchema {
    if (kind.shape === 'scalar') return scalarSchema(kind);
    if (kind.shape === 'any') return kind.map ? { type: 'object' } : {};
    if (kind.shape === 'object') return this.reference(kind);
    if (kind.shape === 'union')
      return { anyOf: distinct(kind.members.flatMap((member) => alternatives(this.schemaOf(member)))) };
    if (kind.shape === 'list') {
      const items = this.schemaOf(kind.element);
      const list = {
        type: 'array',
        items,
        ...(kind.min > 0 && { minItems: kind.min }),
        ...(kind.unique && { uniqueItems: true }),
      };
      return kind.single ? { anyOf: [...alternatives(items), list] } : list;
    }
    return {
      type: 'object',
      propertyNames: kind.keys.schema,
      additionalProperties: this.schemaOf(kind.element),
      ...(kind.min > 0 && { minProperties: kind.min }),
    };
  }

  private reference(kind: ObjectKind): JsonSchema {
    const name = sectionName(kind.type);
    if (!this.defs.has(name)) {
      this.defs.set(name, {});
      this.defs.set(name, this.object(kind));
    }
    return { $ref: `#/$defs/${name}` };
  }
}

function scalarSchema(kind: ScalarKind): JsonSchema {
  const anyText = kind.schema['type'] === 'string' && !('pattern' in kind.schema);
  return anyText ? kind.schema : { anyOf: [...alternatives(kind.schema), REFERENCE] };
}

/** A default that editors may show: not those of whole sections, which their own keys have. */
function defaultOf(spec: KeySpec): unknown {
  if (spec.required) return undefined;
  if ('absent' in spec) return spec.absent;
  const value = initialValue(spec);
  const isSection =
    typeof value === 'object' && value !== null && keysOf(value.constructor as DocumentClass).size > 0;
  return isSection ? undefined : value;
}

function alternatives(schema: JsonSchema): readonly JsonSchema[] {
  const { anyOf } = schema;
  return Array.isArray(anyOf) && Object.keys(schema).length === 1 ? (anyOf as JsonSchema[]) : [schema];
}

function distinct(schemas: readonly JsonSchema[]): JsonSchema[] {
  const texts = schemas.map((schema) => JSON.stringify(schema));
  return schemas.filter((_, index) => texts.indexOf(texts[index]!) === index);
}

function referenceSchema(): JsonSchema {
  return {
    title: 'reference',
    description: 'A value from the environment, ${NAME} or ${NAME:-default}, or from a file, ${file:/path}.',
    type: 'string',
    pattern: String.raw`\$\{[^}]+\}`,
  };
}
