import { startGateway } from '../application.js';
import { loadConfig } from '../config/loader.js';
import { configWarnings } from '../config/warnings.js';
import { createLogger } from '../logging/logger.js';
import { openOutput } from '../logging/output.js';
import { surviveFaults } from './faults.js';
import type { Output } from './output.js';
import { untilStopped } from './signals.js';

/** Runs the gateway until a signal has stopped it. Throws when it cannot start; no port is open then. */
export async function serve(file: string, output: Output): Promise<number> {
  const config = loadConfig(file);
  for (const warning of configWarnings(config)) output.error(`warning: ${warning.toString()}`);
  const logOutput = openOutput(config.logging);
  const gateway = await startGateway(config, {
    file,
    logDestination: logOutput,
    load: () => loadConfig(file),
  });
  const logger = createLogger(config.logging, logOutput);
  surviveFaults(process, logger);
  const code = await untilStopped(gateway, process, logger);
  await logOutput.flush();
  return code;
}
