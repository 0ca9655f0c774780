import { DURATION_PATTERN, durationMs, isDuration } from '../../common/duration.js';
import { nearest } from '../../common/edit-distance.js';
import type { JsonSchema, ScalarKind } from './kind.js';

/** The longest time a timer can wait. */
const MAX_MS = 2 ** 31 - 1;
const MAX_INTEGER = 2 ** 31 - 1;
const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number';

/** A text that a check of its own judges. */
export function textOf(
  expected: string,
  check: (text: string) => string | undefined,
  schema: JsonSchema = {},
): ScalarKind {
  return { shape: 'scalar', expected, schema: { type: 'string', ...schema }, takes: isText, check };
}

/** Any text that is not empty. */
export function text(expected = 'a text'): ScalarKind {
  return textOf(expected, (value) => (value === '' ? 'is an empty text' : undefined), { minLength: 1 });
}

/** Any text, also an empty one. */
export function freeText(): ScalarKind {
  return textOf('a text', () => undefined);
}

/** A text that fits a pattern. */
export function textLike(pattern: RegExp, expected: string): ScalarKind {
  return textOf(expected, (value) => (pattern.test(value) ? undefined : 'does not fit'), {
    pattern: pattern.source,
  });
}

export interface Range {
  readonly min?: number;
  readonly max?: number;
}

export function integer(range: Range = {}): ScalarKind {
  const { min = 0, max = MAX_INTEGER } = range;
  const both = `an integer from ${min} to ${max}`;
  const check = (value: number): string | undefined => {
    if (!Number.isInteger(value)) return 'is not an integer';
    if (value >= min && value <= max) return undefined;
    return value > max ? `is out of range, expected ${both}` : 'is out of range';
  };
  return {
    ...number({ min, max }, max === MAX_INTEGER ? `an integer of at least ${min}` : both),
    schema: { type: 'integer', minimum: min, maximum: max },
    check,
    hint: unquoted(check),
  };
}

export function number(range: Range, expected = `a number from ${range.min} to ${range.max}`): ScalarKind {
  const { min = 0, max = MAX_INTEGER } = range;
  const check = (value: number): string | undefined =>
    value >= min && value <= max ? undefined : 'is out of range';
  return {
    shape: 'scalar',
    expected,
    schema: { type: 'number', minimum: min, maximum: max },
    takes: isNumber,
    check,
    hint: unquoted(check),
    fromText: (value) => (NUMBER.test(value) ? Number(value) : undefined),
  };
}

/** Hints at a number in quotes, where it would hold without them. */
function unquoted(check: (value: number) => string | undefined): (value: unknown) => string | undefined {
  return (value) =>
    isText(value) && NUMBER.test(value) && check(Number(value)) === undefined
      ? `write ${Number(value)} without quotes`
      : undefined;
}

export function flag(): ScalarKind {
  return {
    shape: 'scalar',
    expected: 'true or false',
    schema: { type: 'boolean' },
    takes: (value) => typeof value === 'boolean',
    check: () => undefined,
    hint: (value) => (value === 'true' || value === 'false' ? `write ${value} without quotes` : undefined),
    fromText: (value) => (value === 'true' ? true : value === 'false' ? false : undefined),
  };
}

/** One of a few fixed values. */
export function oneOf(...values: readonly (string | boolean)[]): ScalarKind {
  const texts = values.filter((value) => typeof value === 'string');
  return {
    shape: 'scalar',
    expected: values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`,
    schema: values.length === 1 ? { const: values[0] } : { enum: values },
    takes: (value) => values.some((known) => typeof known === typeof value),
    check: (value: string | boolean) => (values.includes(value) ? undefined : 'is not known'),
    fromText: (value) => values.find((known) => String(known) === value),
    hint: (value) => {
      const near = typeof value === 'string' && !values.includes(value) ? nearest(value, texts) : undefined;
      return near === undefined ? undefined : `did you mean ${near}?`;
    },
  };
}

export interface ZeroOption {
  /** Whether zero is allowed. */
  readonly zero?: boolean;
}

export function duration({ zero = false }: ZeroOption = {}): ScalarKind {
  const kind = textOf('a duration such as 250ms, 10s or 1m30s', checkDuration(zero), {
    pattern: DURATION_PATTERN,
  });
  return { ...kind, hint: hintThatHolds(durationHint, checkDuration(true)) };
}

/** Never hints at what would be refused too. */
function hintThatHolds(
  hint: (value: unknown) => string | undefined,
  check: (text: string) => string | undefined,
): (value: unknown) => string | undefined {
  return (value) => {
    const better = hint(value);
    return better === undefined || check(better) !== undefined ? undefined : `write ${better}`;
  };
}

function checkDuration(zero: boolean): (value: string) => string | undefined {
  return (value) => {
    if (!isDuration(value)) return 'is not a duration';
    const ms = durationMs(value);
    if (ms > MAX_MS) return 'is longer than 596h';
    return ms === 0 && !zero ? 'is not positive' : undefined;
  };
}

const LONG_UNITS: readonly (readonly [RegExp, string])[] = [
  [/^(milliseconds?|millis|msecs?)$/, 'ms'],
  [/^(seconds?|secs?)$/, 's'],
  [/^(minutes?|mins?)$/, 'm'],
  [/^(hours?|hrs?)$/, 'h'],
];

function durationHint(value: unknown): string | undefined {
  if (isNumber(value) && Number.isInteger(value) && value > 0) return `${value}s`;
  if (!isText(value)) return undefined;
  const [, amount = '', unit = ''] = /^(\d+) ?([A-Za-z]*)$/.exec(value) ?? [];
  if (Number(amount) === 0) return undefined;
  if (unit === '') return `${amount}s`;
  const short = LONG_UNITS.find(([long]) => long.test(unit.toLowerCase()))?.[1];
  return short === undefined ? undefined : amount + short;
}
