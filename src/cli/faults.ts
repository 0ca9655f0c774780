import type { Logger } from 'pino';

/**
 * A fault in the gateway or an extension that nobody caught is logged with its stack, and the process lives
 * (docs/decisions/0001-signals-and-uncaught-faults.md): one bad request must not take down the traffic of all others.
 */
export function surviveFaults(host: NodeJS.EventEmitter, logger: Pick<Logger, 'error'>): void {
  const log = (kind: string) => (fault: unknown) => {
    logger.error({ kind, err: fault instanceof Error ? fault : new Error(String(fault)) }, 'internal error');
  };
  host.on('uncaughtException', log('uncaughtException'));
  host.on('unhandledRejection', log('unhandledRejection'));
}
