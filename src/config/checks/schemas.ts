import { readFileSync } from 'node:fs';

import { sizeBytes } from '../../common/size.js';
import type { Draft } from '../draft.js';
import type { SchemaConfig, ValidateConfig } from '../response.config.js';
import type { RouteConfig } from '../route.config.js';
import { type JsonSchema, SchemaCheck } from '../validation/schema-check.js';
import { SchemaFault } from '../validation/schema-fault.js';

/** Schemas of routes: they compile, and those of files stand in the document from here on. */
export function checkSchemas(draft: Draft): void {
  const seen = new Set<SchemaConfig>();
  for (const route of draft.routes) {
    if (!route.validate) continue;
    checkBodySize(draft, route, route.validate);
    for (const part of ['path', 'query', 'headers', 'body'] as const) {
      const config = route.validate[part];
      if (!config || seen.has(config)) continue;
      seen.add(config);
      const schema = schemaOf(draft, config);
      if (schema === null) continue;
      checkCompiles(draft, config, schema);
      if (part === 'headers') checkHeaderNames(draft, config, schema);
    }
  }
}

/** Such a body is held in memory whole. */
function checkBodySize({ report }: Draft, route: RouteConfig, { body }: ValidateConfig): void {
  if (!body || sizeBytes(route.max_body_size) > 0) return;
  report.at(route, 'max_body_size', 'is 0 (no limit) beside validate.body, expected a size');
}

function schemaOf({ report }: Draft, config: SchemaConfig): JsonSchema | null {
  if (report.damaged.has(config)) return null;
  const { schema, schema_file: file } = config;
  if ((schema === null) === (file === null)) {
    const has = file === null ? 'has none of' : 'has both';
    report.at(config, undefined, `${has} schema and schema_file, expected one of them`);
    return null;
  }
  if (file === null) return schema;
  const read = readSchema(file);
  if (read === null) report.at(config, 'schema_file', 'holds no JSON, expected a JSON Schema');
  // A reload sees by it that the file has changed.
  else config.schema = read;
  return read;
}

function readSchema(file: string): Record<string, unknown> | boolean | null {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    return typeof value === 'boolean' || isMap ? (value as Record<string, unknown> | boolean) : null;
  } catch {
    return null;
  }
}

function checkCompiles({ report }: Draft, config: SchemaConfig, schema: JsonSchema): void {
  try {
    void new SchemaCheck(schema);
  } catch (error) {
    if (!(error instanceof SchemaFault)) throw error;
    report.at(
      config,
      placeOf(config),
      `is no usable schema (${error.message}), expected JSON Schema 2020-12`,
    );
  }
}

/** A schema that names `X-Tenant` or `x_tenant` would check nothing: headers are known as `x-tenant`. */
function checkHeaderNames({ report }: Draft, config: SchemaConfig, schema: JsonSchema): void {
  if (typeof schema === 'boolean') return;
  const { properties, required } = schema;
  const names = [
    ...(typeof properties === 'object' && properties !== null ? Object.keys(properties) : []),
    ...(Array.isArray(required) ? (required as unknown[]) : []),
  ].filter((name) => typeof name === 'string');
  const other = names.find((name) => name !== plainName(name));
  if (other === undefined) return;
  const expected = `expected ${plainName(other)}: lower case, and - for _`;
  report.at(config, placeOf(config), `names the header ${other}, ${expected}`);
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

function placeOf({ schema_file: file }: SchemaConfig): keyof SchemaConfig {
  return file === null ? 'schema' : 'schema_file';
}
