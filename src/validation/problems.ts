import type { SchemaProblem } from '../config/validation/schema-check.js';
import { Refusal } from '../exchange/refusal.js';

/** Parts of a request that have schemas. */
export type Part = 'path' | 'query' | 'headers' | 'body';

/** What is wrong, and in which part. */
export interface RequestProblem extends SchemaProblem {
  readonly in: Part;
}

/** Problems that an answer lists. */
export const MOST_PROBLEMS = 20;

export function inPart(part: Part, problems: readonly SchemaProblem[] | null): RequestProblem[] {
  return (problems ?? []).map(({ pointer, message }) => ({ in: part, pointer, message }));
}

export function validationFailed(problems: readonly RequestProblem[]): Refusal {
  return new Refusal('validation_failed', {
    detail: `the request does not fit the schema of its ${[...new Set(problems.map((each) => each.in))].join(', ')}`,
    members: { errors: problems.slice(0, MOST_PROBLEMS) },
  });
}
