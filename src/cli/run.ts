import { VERSION } from '../common/version.js';
import { configFile } from '../config/environment.js';
import { parseArguments } from './arguments.js';
import { explain } from './failure.js';
import { type Output, processOutput } from './output.js';
import { schema } from './schema.js';
import { serve } from './serve.js';
import { USAGE, UsageError } from './usage.js';
import { validate } from './validate.js';

/** Runs one `nexus` command line and resolves to the exit code; `serve` resolves when the gateway has stopped. */
export async function run(argv: readonly string[], output: Output = processOutput): Promise<number> {
  try {
    return await dispatch(argv, output);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    output.error(`nexus: ${error.message}\n\n${USAGE}`);
    return 2;
  }
}

async function dispatch(argv: readonly string[], output: Output): Promise<number> {
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
    default:
      return withFile(configFile(config), output, command === 'serve' ? serve : validate);
  }
}

type FileCommand = (file: string, output: Output) => number | Promise<number>;

async function withFile(file: string, output: Output, command: FileCommand): Promise<number> {
  try {
    return await command(file, output);
  } catch (error) {
    for (const line of explain(error, file)) output.error(line);
    return 1;
  }
}
