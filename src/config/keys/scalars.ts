import { DURATION_PATTERN, durationMs, isDuration } from '../../common/duration.js';
import { nearest } from '../../common/edit-distance.js';
import { isSize, SIZE_PATTERN, sizeBytes } from '../../common/size.js';
import type { JsonSchema, ScalarKind, ScalarValue } from './kind.js';

/** The longest time a timer can wait. */
const MAX_MS = 2 ** 31 - 1;
const MAX_INTEGER = 2 ** 31 - 1;
const MAX_BYTES = 1024 ** 4;
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
  const expected = max === MAX_INTEGER ? `an integer of at least ${min}` : `an integer from ${min} to ${max}`;
  return {
    ...number({ min, max }, expected),
    schema: { type: 'integer', minimum: min, maximum: max },
    check: (value: number) => {
      if (!Number.isInteger(value)) return 'is not an integer';
      return value < min || value > max ? 'is out of range' : undefined;
    },
  };
}

export function number(range: Range, expected = `a number from ${range.min} to ${range.max}`): ScalarKind {
  const { min = 0, max = MAX_INTEGER } = range;
  return {
    shape: 'scalar',
    expected,
    schema: { type: 'number', minimum: min, maximum: max },
    takes: isNumber,
    check: (value: number) => (value >= min && value <= max ? undefined : 'is out of range'),
    hint: (value) =>
      isText(value) && NUMBER.test(value) ? `write ${Number(value)} without quotes` : undefined,
    fromText: (value) => (NUMBER.test(value) ? Number(value) : undefined),
  };
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
  return { ...kind, hint: durationHint };
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
  if (isNumber(value) && Number.isInteger(value) && value > 0) return `write ${value}s`;
  if (!isText(value)) return undefined;
  const [, amount = '', unit = ''] = /^(\d+) ?([A-Za-z]*)$/.exec(value) ?? [];
  if (Number(amount) === 0) return undefined;
  if (unit === '') return `write ${amount}s`;
  const short = LONG_UNITS.find(([long]) => long.test(unit.toLowerCase()))?.[1];
  return short === undefined ? undefined : `write ${amount}${short}`;
}

/** A size in bytes; with `zero` the number 0 too ("no limit"). */
export function size({ zero = false }: ZeroOption = {}): ScalarKind {
  const expected = `a size such as 16kb or 1mb${zero ? ', or 0' : ''}`;
  return {
    shape: 'scalar',
    expected,
    schema: zero ? { anyOf: [{ const: 0 }, { type: 'string', pattern: SIZE_PATTERN }] } : sizeSchema(),
    takes: (value) => isText(value) || (zero && value === 0),
    check: (value: string | 0) => (value === 0 ? undefined : checkSize(value, zero)),
    hint: sizeHint,
    fromText: (value): ScalarValue | undefined => (zero && value === '0' ? 0 : undefined),
  };
}

const sizeSchema = (): JsonSchema => ({ type: 'string', pattern: SIZE_PATTERN });

function checkSize(value: string, zero: boolean): string | undefined {
  if (!isSize(value)) return 'is not a size';
  const bytes = sizeBytes(value);
  if (bytes > MAX_BYTES) return 'is larger than 1024gb';
  return bytes === 0 && !zero ? 'is not positive' : undefined;
}

function sizeHint(value: unknown): string | undefined {
  if (isNumber(value) && Number.isInteger(value) && value > 0)
    return `write ${value}b, ${value}kb or ${value}mb`;
  if (!isText(value)) return undefined;
  const [, amount = '', unit = ''] = /^(\d+) ?([KkMmGg]?)i?[Bb]?$/.exec(value) ?? [];
  return Number(amount) === 0 ? undefined : `write ${amount}${unit.toLowerCase()}b`;
}
