import 'reflect-metadata';

import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, Min, ValidateNested } from 'class-validator';
import { describe, expect, it } from 'vitest';

import { readOptions } from './read-options.js';

class Window {
  @IsInt()
  @Min(1)
  seconds!: number;
}

class Options {
  @IsString()
  name = 'default';

  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => Window)
  windows?: Window[];

  @IsOptional()
  @IsInt()
  @Type(() => Number)
  limit?: number;
}

class Needed {
  @IsString()
  name!: string;
}

const problems = (written: Record<string, unknown>): string[] =>
  readOptions(Options, written).problems.map(({ path, message }) => `${path.join('.')} ${message}`);

describe('readOptions', () => {
  it.each(['constructor', 'toString', '__proto__'])('knows no option %s', (key) => {
    const written = Object.fromEntries([[key, 1]]);
    expect(problems(written)[0]).toBe(`${key} is not a known option, expected one of name, windows, limit`);
  });

  it('makes an instance with the defaults of its class', () => {
    const { instance } = readOptions(Options, { windows: [{ seconds: 5 }], limit: '7' });
    expect(instance).toBeInstanceOf(Options);
    expect(instance).toEqual({ name: 'default', windows: [{ seconds: 5 }], limit: 7 });
    expect((instance as Options).windows![0]).toBeInstanceOf(Window);
  });

  it('copies what it is given', () => {
    const written = Object.freeze({ windows: Object.freeze([Object.freeze({ seconds: 5 })]) });
    const { instance } = readOptions(Options, written);
    (instance as Options).windows![0]!.seconds = 6;
    expect(written.windows[0]!.seconds).toBe(5);
  });

  it.each([
    [{ name: 7 }, ['name must be a string']],
    [{ windows: [{ seconds: 1 }, { seconds: 0 }] }, ['windows.1.seconds must not be less than 1']],
    [
      { windows: [{ seconds: 1, second: 2 }] },
      ['windows.0.second is not a known option, did you mean seconds?'],
    ],
    [{ other: 1 }, ['other is not a known option, expected one of name, windows, limit']],
    [{ windows: [{}] }, [expect.stringMatching(/^windows\.0\.seconds is missing \(must .*, must .*\)$/)]],
  ])('judges %j', (written, expected) => {
    expect(problems(written)).toEqual(expected);
  });

  it('misses what has no default', () => {
    expect(readOptions(Needed, {}).problems).toEqual([
      { path: ['name'], message: 'is missing (must be a string)' },
    ]);
  });

  it('takes nothing where no class says what', () => {
    expect(readOptions(null, {}).problems).toEqual([]);
    expect(readOptions(null, { a: 1 }).problems).toEqual([
      { path: ['a'], message: 'is not known: it takes no options' },
    ]);
  });
});
