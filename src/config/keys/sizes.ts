import { isSize, type Size, SIZE_PATTERN, sizeBytes } from '../../common/size.js';
import type { JsonSchema, ScalarKind, ScalarValue } from './kind.js';
import type { ZeroOption } from './scalars.js';

const MAX_SIZE: Size = '1024gb';

export interface SizeOptions extends ZeroOption {
  /** Whether `0b` is allowed, where it means nothing at all and not "no limit". */
  readonly none?: boolean;
  readonly max?: Size;
}

/** A size in bytes; with `zero` the number 0 too ("no limit"). */
export function size({ zero = false, none = zero, max = MAX_SIZE }: SizeOptions = {}): ScalarKind {
  const bounded = max === MAX_SIZE ? '' : ` of at most ${max}`;
  const check = checkSize(none, max);
  return {
    shape: 'scalar',
    expected: `a size such as 16kb or 1mb${bounded}${zero ? ', or 0' : ''}`,
    schema: zero ? { anyOf: [{ const: 0 }, sizeSchema()] } : sizeSchema(),
    takes: (value) => typeof value === 'string' || (zero && value === 0),
    check: (value: string | 0) => (value === 0 ? undefined : check(value)),
    hint: (value) => sizeHint(value, check),
    fromText: (value): ScalarValue | undefined => (zero && value === '0' ? 0 : undefined),
  };
}

const sizeSchema = (): JsonSchema => ({ type: 'string', pattern: SIZE_PATTERN });

function checkSize(none: boolean, max: Size): (value: string) => string | undefined {
  return (value) => {
    if (!isSize(value)) return 'is not a size';
    const bytes = sizeBytes(value);
    if (bytes > sizeBytes(max)) return `is larger than ${max}`;
    return bytes === 0 && !none ? 'is not positive' : undefined;
  };
}

function sizeHint(value: unknown, check: (text: string) => string | undefined): string | undefined {
  const units = sizesMeant(value).filter((written) => check(written) === undefined);
  const last = units.pop();
  if (last === undefined) return undefined;
  return `write ${units.length > 0 ? `${units.join(', ')} or ` : ''}${last}`;
}

function sizesMeant(value: unknown): string[] {
  if (typeof value === 'number' && Number.isInteger(value) && value > 0)
    return ['b', 'kb', 'mb'].map((unit) => value + unit);
  if (typeof value !== 'string') return [];
  const [, amount = '', unit = ''] = /^(\d+) ?([KkMmGg]?)i?[Bb]?$/.exec(value) ?? [];
  return Number(amount) === 0 ? [] : [`${amount}${unit.toLowerCase()}b`];
}
