import { HeldSignals } from './held-signals.js';
import { nodeFault } from './node-version.js';

/**
 * Runs one `nexus` command line and resolves to the exit code. What the commands need is loaded only once signals are
 * taken, and once it is known that this Node can load it.
 */
export async function start(argv: readonly string[]): Promise<number> {
  const fault = nodeFault(process.versions.node);
  if (fault !== null) {
    process.stderr.write(`${fault}\n`);
    return 1;
  }
  const signals = argv.includes('serve') ? new HeldSignals(process) : undefined;
  const { run } = await import('./run.js');
  return run(argv, { signals });
}
