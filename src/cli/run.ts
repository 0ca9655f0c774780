import { VERSION } from '../common/version.js';
import { configFile } from '../config/environment.js';
import { parseArguments } from './arguments.js';
import { explain } from './failure.js';
import { HeldSignals } from './held-signals.js';
import { type Output, processOutput } from './output.js';
import { schema } from './schema.js';
import { serve } from './serve.js';
import { USAGE, UsageError } from './usage.js';
import { validate } from './validate.js';

export interface RunOptions {
  readonly output?: Output;
  /** What was taken before this file was loaded; default: signals are taken from `serve` on. */
  readonly signals?: HeldSignals | undefined;
}

/** Runs one `nexus` command line and resolves to the exit code; `serve` resolves when the gateway has stopped. */
export async function run(argv: readonly string[], options: RunOptions = {}): Promise<number> {
  const { output = processOutput, signals } = options;
  try {
    return await dispatch(argv, output, signals);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    output.error(`nexus: ${error.message}\n\n${USAGE}`);
    return 2;
  }
}

async function dispatch(
  argv: readonly string[],
  output: Output,
  signals: HeldSignals | undefined,
): Promise<number> {
  const { command, config } = parseArguments(argv);
  switch (command) {
    case 'help':
      output.out(USAGE);
      return 0;
    case 'version':
      output.out(VERSION);
      return 0;
    case 'schema':
      return schema(output);
    case 'validate':
      return withFile(configFile(config), output, (file) => validate(file, output));
    case 'serve':
      return withFile(configFile(config), output, (file) =>
        serve(file, output, signals ?? new HeldSignals(process)),
      );
  }
}

type FileCommand = (file: string) => number | Promise<number>;

async function withFile(file: string, output: Output, command: FileCommand): Promise<number> {
  try {
    return await command(file);
  } catch (error) {
    for (const line of explain(error, file)) output.error(line);
    return 1;
  }
}
