import { type ArgumentMetadata, type Type, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';

import { Refusal } from '../exchange/refusal.js';

/** Errors of one body that are told. */
const MOST = 20;

/** Checks a JSON body against a class-validator class; keys that it does not declare are errors too. */
export function validBody(expectedType: Type): ValidationPipe {
  return new BodyPipe({
    expectedType,
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    exceptionFactory: (errors) => new Refusal('validation_failed', { members: { errors: told(errors) } }),
  });
}

class BodyPipe extends ValidationPipe {
  /** class-validator takes what every object inherits (`constructor`) for declared. */
  override async transform(body: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const strange = typeof body === 'object' && body !== null ? Object.keys(body).filter(isInherited) : [];
    if (strange.length === 0) return super.transform(body, metadata);
    const errors = strange.map((key) => ({ in: 'body', pointer: `/${key}`, message: 'is unknown' }));
    throw new Refusal('validation_failed', { members: { errors } });
  }
}

function isInherited(key: string): boolean {
  return key in Object.prototype;
}

interface BodyError {
  readonly in: 'body';
  /** JSON pointer (RFC 6901). */
  readonly pointer: string;
  readonly message: string;
}

function told(errors: readonly ValidationError[]): BodyError[] {
  return errors.flatMap((error) => errorsAt('', error)).slice(0, MOST);
}

function errorsAt(parent: string, { property, constraints, children }: ValidationError): BodyError[] {
  // Nothing of it could be looked at: it is no object.
  if (property === undefined) return [{ in: 'body', pointer: parent, message: 'must be an object' }];
  const pointer = `${parent}/${property.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const own = Object.entries(constraints ?? {}).map(([rule, message]): BodyError => {
    const unknown = rule === 'whitelistValidation';
    return { in: 'body', pointer, message: unknown ? 'is unknown' : message };
  });
  return [...own, ...(children ?? []).flatMap((child) => errorsAt(pointer, child))];
}
