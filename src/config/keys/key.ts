import { ValidateBy, type ValidationArguments } from 'class-validator';

import type { DocumentClass, Kind } from './kind.js';
import { problemsOf } from './problems.js';

export interface KeyOptions {
  /** Must be written. */
  readonly required?: boolean;
  /** Never shown, also when it stands in the document itself. */
  readonly secret?: boolean;
  /** What a document without the key means, where that differs from the field's initial value. */
  readonly absent?: unknown;
}

/** All that is known of a key of the document. */
export interface KeySpec extends KeyOptions {
  readonly name: string;
  readonly kind: Kind;
  /** The class that declared it, whose field holds the default. */
  readonly declaredBy: DocumentClass;
  readonly description: string;
}

const SPECS = new Map<object, Map<string, KeySpec>>();

/**
 * Declares a field of a document class as a key of the document: its validation (by class-validator), its
 * place in the JSON Schema, and how the loader reads it. The default is the field's initial value.
 */
export function Key(kind: Kind, description: string, options: KeyOptions = {}): PropertyDecorator {
  return (prototype, property) => {
    const declaredBy = prototype.constructor as DocumentClass;
    declare(prototype, { ...options, name: String(property), kind, description, declaredBy });
  };
}

/** Declares keys of another class as keys of this one too, without their defaults. */
export function KeysOf(from: DocumentClass, names: readonly string[]): ClassDecorator {
  const specs = keysOf(from);
  return (target) => {
    for (const name of names) {
      const spec = specs.get(name);
      if (!spec) throw new Error(`${from.name} has no key ${name}`);
      declare(target.prototype as object, spec);
    }
  };
}

function declare(prototype: object, spec: KeySpec): void {
  const own = SPECS.get(prototype) ?? new Map<string, KeySpec>();
  SPECS.set(prototype, own.set(spec.name, spec));
  constraint(spec)(prototype, spec.name);
}

/** The value of a key that is not written, as the field of its class has it. */
export function initialValue(spec: KeySpec): unknown {
  return Reflect.get(new spec.declaredBy(), spec.name);
}

/** The keys of a document class by name, its own before inherited ones. */
export function keysOf(type: DocumentClass): ReadonlyMap<string, KeySpec> {
  const known = MERGED.get(type);
  if (known) return known;
  const merged = new Map<string, KeySpec>();
  for (
    let at: object | null = type.prototype as object;
    at;
    at = Object.getPrototypeOf(at) as object | null
  ) {
    for (const [name, spec] of SPECS.get(at) ?? []) if (!merged.has(name)) merged.set(name, spec);
  }
  MERGED.set(type, merged);
  return merged;
}

const MERGED = new Map<DocumentClass, ReadonlyMap<string, KeySpec>>();

/** The name of a class in messages and in the JSON Schema: `HealthCheckConfig` is `health_check`. */
export function sectionName(type: DocumentClass): string {
  const words = type.name.replace(/Config$/, '');
  return words.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
}

/** A field that was not written is judged only when it must be. */
function constraint({ kind, required }: KeySpec): PropertyDecorator {
  const faults = (args: ValidationArguments | undefined): string[] => {
    if (!args || (args.value === undefined && !required)) return [];
    return problemsOf(kind, args.value, args.object, args.property).map((problem) => problem.message);
  };
  return ValidateBy({
    name: 'key',
    validator: {
      validate: (_, args) => faults(args).length === 0,
      defaultMessage: (args) => `${args?.property}: ${faults(args).join('; ')}`,
    },
  });
}
