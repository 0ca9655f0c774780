import { constants } from 'node:os';

import type { Logger } from 'pino';

/** The part of a running gateway that signals act on. */
export interface Stoppable {
  stop(signal: string): Promise<void>;
  /** Logs what is wrong by itself and then resolves to false. */
  reload(): Promise<boolean>;
}

type Log = Pick<Logger, 'error'>;

/** The part of `process` that is needed, so that tests hand in their own. */
export interface SignalHost extends NodeJS.EventEmitter {
  exit(code: number): void;
}

type StopSignal = 'SIGTERM' | 'SIGINT';

/**
 * Resolves to the exit code once the gateway has stopped: SIGTERM and SIGINT drain it, a second one of them
 * ends the process at once with 128 + its number, as a shell would report it. SIGHUP reloads.
 */
export function untilStopped(gateway: Stoppable, host: SignalHost, logger: Log): Promise<number> {
  host.on('SIGHUP', () => void reload(gateway, logger));
  const { promise, resolve } = Promise.withResolvers<number>();
  let stopping = false;
  const onSignal = (signal: StopSignal): void => {
    if (stopping) return host.exit(128 + constants.signals[signal]);
    stopping = true;
    void stop(gateway, signal, logger).then(resolve);
  };
  host.on('SIGTERM', onSignal);
  host.on('SIGINT', onSignal);
  return promise;
}

async function stop(gateway: Stoppable, signal: string, logger: Log): Promise<number> {
  try {
    await gateway.stop(signal);
    return 0;
  } catch (error) {
    logger.error({ err: error }, 'shutdown failed');
    return 1;
  }
}

async function reload(gateway: Stoppable, logger: Log): Promise<void> {
  try {
    await gateway.reload();
  } catch (error) {
    // The running snapshot serves on.
    logger.error({ err: error }, 'config reload failed');
  }
}
