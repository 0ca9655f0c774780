import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';

import { TooCostly } from './check-budget.js';
import { createEngine, type SchemaEngine } from './schema-engine.js';
import { SchemaFault } from './schema-fault.js';
import { demandCheckable } from './schema-faults.js';

export type JsonSchema = Readonly<Record<string, unknown>> | boolean;

/** One thing wrong with a value; nothing in it is a value of the client's. */
export interface SchemaProblem {
  /** RFC 6901, from the value's root on; one that is too long ends early. */
  readonly pointer: string;
  readonly message: string;
}

/** Longest pointer, in characters: its keys are a client's. */
const LONGEST_POINTER = 512;

/** Of a check that came to no end. */
const COSTLY: readonly SchemaProblem[] = [{ pointer: '', message: new TooCostly().message }];

/** A compiled JSON Schema (2020-12). */
export class SchemaCheck {
  readonly #first: ValidateFunction;
  #all: ValidateFunction | null = null;

  /** Throws a {@link SchemaFault}. */
  constructor(readonly schema: JsonSchema) {
    demandCheckable(schema);
    this.#first = compiled(engine('first'), schema);
  }

  /** Compiles the report of all problems ahead of the first value that has some. */
  prepare(): this {
    this.#all ??= compiled(engine('all'), this.schema);
    return this;
  }

  /** The first problem found; null for a valid value. A value that takes too many steps is refused. */
  first(value: unknown): readonly SchemaProblem[] | null {
    return run(engine('first'), this.#first, value, 1);
  }

  /** Up to `most` problems; null for a valid value. The time and memory are those of all that there are. */
  all(value: unknown, most: number): readonly SchemaProblem[] | null {
    const first = this.first(value);
    if (first === null || first === COSTLY) return first;
    return run(engine('all'), this.prepare().#all!, value, most) ?? first;
  }
}

const engines: Partial<Record<'first' | 'all', SchemaEngine>> = {};

function engine(kind: 'first' | 'all'): SchemaEngine {
  return (engines[kind] ??= createEngine(kind === 'all'));
}

/** The schema leaves nothing behind in ajv: others neither see its `$id` nor are kept from using it. */
function compiled({ ajv, budget }: SchemaEngine, schema: JsonSchema): ValidateFunction {
  try {
    budget.lift();
    return ajv.compile(schema);
  } catch (error) {
    throw error instanceof SchemaFault ? error : new SchemaFault(sentence(error as Error));
  } finally {
    if (typeof schema === 'object') ajv.removeSchema(schema);
  }
}

function sentence(error: Error & { missingRef?: string }): string {
  if (error.missingRef !== undefined) return `it refers to ${error.missingRef}, which is not part of it`;
  return error.message;
}

function run(
  { budget }: SchemaEngine,
  validate: ValidateFunction,
  value: unknown,
  most: number,
): readonly SchemaProblem[] | null {
  budget.renew();
  try {
    if (validate(value)) return null;
  } catch (error) {
    // Expressions overflow the stack on texts of megabytes: a RangeError.
    if (error instanceof TooCostly || error instanceof RangeError) return COSTLY;
    throw error;
  }
  const problems = (validate.errors ?? []).slice(0, most).map(problemOf);
  // It holds on to parts of the value.
  validate.errors = null;
  return problems;
}

function problemOf({ instancePath, keyword, params, message }: ErrorObject): SchemaProblem {
  const extra: unknown =
    keyword === 'additionalProperties' ? params['additionalProperty'] : params['unevaluatedProperty'];
  const pointer = typeof extra === 'string' ? `${instancePath}/${escaped(extra)}` : instancePath;
  return {
    pointer: bounded(pointer),
    message: typeof extra === 'string' ? 'must not be there' : (message ?? 'is invalid'),
  };
}

function escaped(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}

function bounded(pointer: string): string {
  return pointer.length <= LONGEST_POINTER
    ? pointer
    : pointer.slice(0, pointer.lastIndexOf('/', LONGEST_POINTER));
}
