import { validateSync } from 'class-validator';

import { initialValue, type KeySpec, keysOf, sectionName } from './keys/key.js';
import type { DocumentClass } from './keys/kind.js';
import { type Problem, problemsOf } from './keys/problems.js';
import type { Report } from './report.js';
import type { UnavailableKeys } from './unavailable.js';

/** Holds objects of the document against the constraints of their classes and the table of what is not built. */
export class Judge {
  /** Objects that lack something they must have: left out, so that later checks see only whole ones. */
  private readonly broken = new WeakSet();

  constructor(
    private readonly report: Report,
    private readonly unavailable: UnavailableKeys,
    /** False when the text is cut short by a syntax error: then nothing is missed. */
    private readonly whole = true,
  ) {}

  /** Reports what is wrong and puts defaults in its place. */
  object(instance: object, complete = true): void {
    const specs = keysOf(instance.constructor as DocumentClass);
    const errors = validateSync(instance, { forbidUnknownValues: false, validationError: { target: false } });
    const wrong = new Set(errors.map((error) => error.property));
    for (const spec of specs.values()) {
      const given = this.report.trace.given(instance, spec.name);
      if (!given) {
        if (complete && spec.required && this.whole) this.missing(instance, spec);
        continue;
      }
      const valid = !wrong.has(spec.name);
      if (valid) this.checkAvailable(instance, spec);
      else this.reject(instance, spec);
      this.leaveOutBroken(instance, spec);
    }
  }

  private missing(instance: object, spec: KeySpec): void {
    this.report.at(instance, spec.name, `is missing, expected ${spec.kind.expected}`);
    this.broken.add(instance);
  }

  private reject(instance: object, spec: KeySpec): void {
    this.report.damaged.add(instance);
    const value: unknown = Reflect.get(instance, spec.name);
    const problems = problemsOf(spec.kind, value, instance, spec.name);
    for (const { owner, key, message } of problems) if (message !== '') this.report.at(owner, key, message);
    this.prune(instance, spec, problems);
  }

  /** Takes out what is wrong: single entries of lists and maps, else the whole value. */
  private prune(instance: object, spec: KeySpec, problems: readonly Problem[]): void {
    const inside = problems.every(({ owner }) => owner !== instance && !hasOwnKeys(owner));
    if (!inside) {
      if (spec.required) this.broken.add(instance);
      Reflect.set(instance, spec.name, initialValue(spec));
      return;
    }
    for (const { owner, key } of problems.toReversed()) {
      if (Array.isArray(owner)) owner.splice(Number(key), 1);
      else Reflect.deleteProperty(owner, key);
    }
  }

  private leaveOutBroken(instance: object, { name, required }: KeySpec): void {
    const value: unknown = Reflect.get(instance, name);
    if (typeof value !== 'object' || value === null) return;
    if (this.broken.has(value)) {
      Reflect.set(instance, name, Reflect.get(new (instance.constructor as DocumentClass)(), name));
      if (required) this.broken.add(instance);
      return;
    }
    if (Array.isArray(value)) {
      const whole = value.filter((item) => !this.isBroken(item));
      if (whole.length < value.length) value.splice(0, value.length, ...(whole as unknown[]));
      return;
    }
    if (hasOwnKeys(value)) return;
    for (const [key, item] of Object.entries(value))
      if (this.isBroken(item)) Reflect.deleteProperty(value, key);
  }

  private isBroken(item: unknown): boolean {
    return typeof item === 'object' && item !== null && this.broken.has(item);
  }

  private checkAvailable(instance: object, spec: KeySpec): void {
    const row = this.unavailable[`${sectionName(spec.declaredBy)}.${spec.name}`];
    if (!row) return;
    const standard = spec.absent ?? initialValue(spec);
    const value: unknown = Reflect.get(instance, spec.name);
    const allowed = [standard, initialValue(spec), ...(row.allow ?? [])].map(written);
    if (allowed.includes(written(value))) return;
    const message = `${row.feature}: not available yet, expected ${written(standard)} or no such key`;
    this.report.at(instance, spec.name, message);
  }
}

function hasOwnKeys(owner: object): boolean {
  return keysOf((owner.constructor as DocumentClass | undefined) ?? Object).size > 0;
}

/** Values are alike when they would be written alike. */
function written(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}
