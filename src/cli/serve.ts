import { startGateway } from '../application.js';
import { configWarnings } from '../config/warnings.js';
import { openDocument } from '../gateway.document.js';
import { createLogger } from '../logging/logger.js';
import { openOutput } from '../logging/output.js';
import { surviveFaults } from './faults.js';
import type { HeldSignals } from './held-signals.js';
import type { Output } from './output.js';
import { untilStopped } from './signals.js';

/**
 * Runs the gateway until a signal has stopped it. Throws when it cannot start; no port is open then. Signals that came
 * before it serves are acted on as soon as that is possible.
 */
export async function serve(file: string, output: Output, signals: HeldSignals): Promise<number> {
  const { config, extensions, reload } = await openDocument(file);
  for (const warning of configWarnings(config)) output.error(`warning: ${warning.toString()}`);
  if (signals.stopRequested) return 0;
  const logOutput = openOutput(config.logging);
  const gateway = await startGateway(config, {
    file,
    logDestination: logOutput,
    extensions,
    load: reload,
  });
  const logger = createLogger(config.logging, logOutput);
  surviveFaults(process, logger);
  const stopped = untilStopped(gateway, signals, logger);
  signals.release();
  const code = await stopped;
  await logOutput.flush();
  return code;
}
