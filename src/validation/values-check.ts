import { TooCostly } from '../config/validation/check-budget.js';
import { type JsonSchema, SchemaCheck } from '../config/validation/schema-check.js';
import type { Exchange } from '../exchange/exchange.js';
import { type Coercion, compileCoercion } from './coercion.js';
import { inPart, MOST_PROBLEMS, type Part, type RequestProblem } from './problems.js';
import { headerValues, pathValues, queryValues, type Values } from './request-values.js';

/** Finds what is wrong with one part of a request's head. */
export type ValuesCheck = (exchange: Exchange) => RequestProblem[];

const VALUES: Readonly<Record<Exclude<Part, 'body'>, (exchange: Exchange) => Values>> = {
  path: pathValues,
  query: queryValues,
  headers: headerValues,
};

/** Compiles the schema of a part whose values are texts under names. */
export function compileValuesCheck(part: Exclude<Part, 'body'>, schema: JsonSchema): ValuesCheck {
  const check = new SchemaCheck(schema).prepare();
  const coerce = compileCoercion(schema);
  const read = VALUES[part];
  return (exchange) => {
    const values = read(exchange);
    if (values === null) return inPart(part, [{ pointer: '', message: 'must be percent-encoded UTF-8' }]);
    try {
      return inPart(part, check.all(objectOf(values, coerce), MOST_PROBLEMS));
    } catch (error) {
      if (error instanceof TooCostly) return inPart(part, [{ pointer: '', message: error.message }]);
      throw error;
    }
  };
}

/** Without a prototype `__proto__` is a name like any other. */
function objectOf(values: NonNullable<Values>, coerce: Coercion): object {
  const object = Object.create(null) as Record<string, unknown>;
  for (const [name, texts] of values) object[name] = coerce(name, texts);
  return object;
}
