import { type JsonSchema, SchemaCheck } from '../config/validation/schema-check.js';
import type { RequestHead } from '../exchange/exchange.js';
import { Refusal } from '../exchange/refusal.js';
import { parseJson } from './json-text.js';
import { saysJson } from './media-type.js';
import { inPart, MOST_PROBLEMS, type RequestProblem } from './problems.js';

/** Of larger bodies the first problem alone is listed, in bytes: each item of one may have problems of its own. */
const LISTED_SIZE = 64 * 1024;
/** Requests with these methods usually have no body. */
const BODILESS: ReadonlySet<string> = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** Holds request bodies against the schema of a route. */
export class BodyCheck {
  readonly #check: SchemaCheck;

  constructor(schema: JsonSchema) {
    this.#check = new SchemaCheck(schema).prepare();
  }

  /** What a body's head says of it. Throws a Refusal (415). */
  demandJson({ rawHeaders }: RequestHead): void {
    if (saysJson(rawHeaders)) return;
    throw new Refusal('unsupported_media_type', {
      detail: 'the body must be JSON in UTF-8, without a content coding, and its Content-Type must say so',
    });
  }

  /** What is wrong with the bytes; null or empty = there are none. */
  problems(bytes: Buffer | null, method: string): RequestProblem[] {
    if (bytes === null || bytes.length === 0)
      return BODILESS.has(method) ? [] : inPart('body', [{ pointer: '', message: 'must be there' }]);
    const parsed = parseJson(bytes);
    if ('problem' in parsed) return inPart('body', [parsed.problem]);
    const { value } = parsed;
    const isShort = bytes.length <= LISTED_SIZE;
    return inPart('body', isShort ? this.#check.all(value, MOST_PROBLEMS) : this.#check.first(value));
  }
}
