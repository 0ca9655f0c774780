import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';

import { nearest } from '../../common/edit-distance.js';
import type { OptionProblem } from '../../config/draft.js';

export interface ReadOptions {
  readonly instance: object;
  /** Empty when the options hold. */
  readonly problems: readonly OptionProblem[];
}

/** Makes an instance of the options' class out of what the document says, and judges it by the class's constraints. */
export function readOptions(
  type: Type<object> | null,
  written: Readonly<Record<string, unknown>>,
): ReadOptions {
  if (type === null) return { instance: {}, problems: unwanted(written) };
  const instance = plainToInstance(type, written);
  const errors = validateSync(instance, {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: false,
  });
  return {
    instance,
    problems: [...inherited(type, written), ...errors.flatMap((error) => problemsOf(error, []))],
  };
}

/** Keys that every object inherits (`constructor`): class-validator takes them for declared. */
function inherited(type: Type<object>, written: object): OptionProblem[] {
  const keys = Object.keys(written).filter((key) => key in Object.prototype);
  return keys.map((key) => ({ path: [key], message: notKnown(key, optionsOf(type)) }));
}

function unwanted(written: Readonly<Record<string, unknown>>): OptionProblem[] {
  return Object.keys(written).map((key) => ({ path: [key], message: 'is not known: it takes no options' }));
}

function problemsOf(error: ValidationError, above: readonly string[]): OptionProblem[] {
  const path = [...above, error.property];
  const own = messagesOf(error).map((message) => ({ path, message }));
  return [...own, ...(error.children ?? []).flatMap((child) => problemsOf(child, path))];
}

function messagesOf(error: ValidationError): string[] {
  const { property, constraints = {}, value } = error;
  if ('whitelistValidation' in constraints) return [unknownOption(error)];
  const messages = Object.values(constraints).map((message) => worded(property, message));
  return value === undefined && messages.length > 0 ? [`is missing (${messages.join(', ')})`] : messages;
}

/** class-validator's own messages begin with the property, which the path names already. */
function worded(property: string, message: string): string {
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}

function unknownOption({ target, property }: ValidationError): string {
  return notKnown(property, optionsOf(target?.constructor));
}

function notKnown(property: string, known: string[]): string {
  const near = nearest(property, known);
  if (near) return `is not a known option, did you mean ${near}?`;
  return `is not a known option, expected ${known.length > 0 ? `one of ${known.join(', ')}` : 'none'}`;
}

function optionsOf(type: unknown): string[] {
  if (typeof type !== 'function') return [];
  const all = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
  return [...new Set(all.map(({ propertyName }) => propertyName))];
}
