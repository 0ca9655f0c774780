import type { FastifyRequest } from 'fastify';

import { Refusal } from './exchange/refusal.js';
import { parseJson } from './validation/json-text.js';

/** Reads a JSON body of the admin port in the one way that everybody reads it; what could be read in two is refused. */
export function readJsonBody(
  _request: FastifyRequest,
  body: string | Buffer,
  done: (error: Error | null, value?: unknown) => void,
): void {
  const parsed = parseJson(Buffer.from(body as string));
  if ('value' in parsed) return done(null, parsed.value);
  const { pointer, message } = parsed.problem;
  const errors = [{ in: 'body', pointer, message }];
  done(new Refusal('validation_failed', { members: { errors } }));
}
