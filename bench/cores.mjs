import { availableParallelism } from 'node:os';

import { installed } from './installed.mjs';

const pinned = availableParallelism() >= 2 && installed('taskset');

/** `command` bound to a core, where there are two and taskset: load and upstream on 0, the server alone on 1. */
export function onCore(core, command) {
  return pinned ? ['taskset', '-c', String(core), ...command] : command;
}

export const CORES = pinned
  ? 'load and upstream on core 0, the server on core 1'
  : 'not bound to cores: taskset or a second core is missing';
