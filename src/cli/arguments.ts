import { parseArgs } from 'node:util';

import { UsageError } from './usage.js';

export const COMMANDS = ['serve', 'validate', 'schema'] as const;
export type Command = (typeof COMMANDS)[number];

export interface Arguments {
  readonly command: Command | 'help' | 'version';
  readonly config: string | undefined;
}

/** Reads the command line (without node and script). Throws a UsageError for anything unknown. */
export function parseArguments(argv: readonly string[]): Arguments {
  const { values, positionals } = parse(argv);
  const { config } = values;
  if (config === '') throw new UsageError('--config needs a file');
  if (values.help) return { command: 'help', config };
  if (values.version) return { command: 'version', config };
  const [command, ...rest] = positionals;
  if (command === undefined) throw new UsageError('no command given');
  if (!isCommand(command)) throw new UsageError(`unknown command: ${command}`);
  if (rest.length > 0) throw new UsageError(`unexpected argument: ${rest[0]}`);
  return { command, config };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        config: { type: 'string', short: 'c' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function isCommand(name: string): name is Command {
  return (COMMANDS as readonly string[]).includes(name);
}
