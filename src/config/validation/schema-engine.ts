import { createRequire } from 'node:module';

import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { FormatsPlugin } from 'ajv-formats';

import { CheckBudget } from './check-budget.js';
import { SchemaPattern } from './schema-pattern.js';
import { areUnique } from './unique-items.js';

const require = createRequire(import.meta.url);

/** JSON Schema's own and those of OpenAPI that mean anything for JSON. */
const FORMATS = [
  ...(['date', 'time', 'date-time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uri'] as const),
  ...(['uri-reference', 'uri-template', 'uuid', 'json-pointer', 'relative-json-pointer', 'regex'] as const),
  ...(['byte', 'int32', 'int64', 'float', 'double', 'password', 'binary'] as const),
];

/** ajv as the gateway uses it. */
export interface SchemaEngine {
  readonly ajv: Ajv2020;
  readonly budget: CheckBudget;
}

/**
 * Loads ajv, which takes 15 MB: only where a document has schemas.
 * @param everything report all that is wrong with a value, not just the first thing
 */
export function createEngine(everything: boolean): SchemaEngine {
  const { Ajv2020: Ajv } = require('ajv/dist/2020.js') as { Ajv2020: typeof Ajv2020 };
  const { default: addFormats } = require('ajv-formats') as { default: FormatsPlugin };
  const budget = new CheckBudget();
  const regExp = Object.assign((source: string, flags: string) => new SchemaPattern(source, flags, budget), {
    code: 'schemaPattern',
  });
  const ajv = new Ajv({
    allErrors: everything,
    strict: true,
    strictRequired: false,
    strictTuples: false,
    allowUnionTypes: true,
    ownProperties: true,
    logger: false,
    code: { regExp, process: (code) => withBudget(withOwnEvaluated(code)) },
  });
  Object.assign(ajv, { enterSchema: budget.enter });
  addFormats(ajv, FORMATS);
  boundEmail(ajv, regExp);
  // ajv's own compares each item with each other one.
  ajv.removeKeyword('uniqueItems').addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    compile: (wanted: boolean) => (items: readonly unknown[]) => !wanted || areUnique(items),
    error: { message: 'must NOT have duplicate items' },
  });
  return { ajv, budget };
}

/**
 * ajv notes the properties that were evaluated in a plain object, where `toString` and `__proto__` seem to be noted from
 * the start: `unevaluatedProperties: false` would let them through.
 */
function withOwnEvaluated(code: string): string {
  return code.replaceAll(/!(props\d+)\[(key\d+)\]/g, '!Object.hasOwn($1, $2)');
}

/**
 * Parts that refer to themselves become functions; the others are bounded by the schema and the value. Nothing of a
 * schema stands in front of the head that is looked for, and `self` is the ajv.
 */
function withBudget(code: string): string {
  return code.replace(/return function validate\d+\(data, \{[^{}]*\{\}\}=\{\}\)\{/, '$&self.enterSchema();');
}

/** The one format whose expression takes quadratic time. */
function boundEmail(ajv: Ajv2020, pattern: (source: string, flags: string) => SchemaPattern): void {
  const { source, flags } = ajv.formats['email'] as RegExp;
  const bounded = pattern(source, flags);
  ajv.addFormat('email', { type: 'string', validate: (text: string) => bounded.test(text) });
}
