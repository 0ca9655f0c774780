import { describe, expect, it } from 'vitest';

import { parseArguments } from './arguments.js';
import { UsageError } from './usage.js';

describe('parseArguments', () => {
  it.each([
    [['serve'], { command: 'serve', config: undefined }],
    [['serve', '--config', 'a.yml'], { command: 'serve', config: 'a.yml' }],
    [['--config=a.yml', 'validate'], { command: 'validate', config: 'a.yml' }],
    [['validate', '-c', 'a.json'], { command: 'validate', config: 'a.json' }],
    [['schema'], { command: 'schema', config: undefined }],
    [['--help'], { command: 'help', config: undefined }],
    [['serve', '-h'], { command: 'help', config: undefined }],
    [['--version'], { command: 'version', config: undefined }],
  ])('reads %j', (argv, expected) => {
    expect(parseArguments(argv)).toEqual(expected);
  });

  it.each([
    [[], 'no command given'],
    [['start'], 'unknown command: start'],
    [['serve', 'a.yml'], 'unexpected argument: a.yml'],
    [['serve', '--port', '1'], "Unknown option '--port'"],
    [['serve', '--config'], 'argument missing'],
    [['serve', '--config='], '--config needs a file'],
  ])('refuses %j', (argv, message) => {
    expect(() => parseArguments(argv)).toThrow(UsageError);
    expect(() => parseArguments(argv)).toThrow(message);
  });
});
