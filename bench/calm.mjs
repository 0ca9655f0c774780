import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { cpu, cpuWithFinishedChildren, cpuOfMachine } from './measure.mjs';

/** Others may take this share of one core during a burst. */
export const CALM = 0.05;
const TRIES = 6;
const PAUSE_MS = 1000;

/**
 * Makes a burst again, some times, while others use the machine, and resolves to what the calmest one gave, with
 * `disturbed`: the share of one core that others took. `pids` are the processes that belong to the burst, beside the
 * load generator that it starts.
 */
export async function calmest(pids, burst) {
  let best = null;
  for (let i = 0; i < TRIES; i += 1) {
    if (i > 0) await sleep(PAUSE_MS);
    const figures = await watched(pids, burst);
    if (best === null || figures.disturbed < best.disturbed) best = figures;
    if (best.disturbed <= CALM) break;
  }
  return best;
}

async function watched(pids, burst) {
  const start = performance.now();
  const before = foreign(pids);
  const figures = await burst();
  const taken = foreign(pids) - before;
  return { ...figures, disturbed: Math.max(0, taken / (performance.now() - start) / 1000) };
}

/** CPU time in microseconds that the machine spent on what is not ours. */
function foreign(pids) {
  const ours = pids.reduce((sum, pid) => sum + cpu(pid), cpuWithFinishedChildren('self'));
  return cpuOfMachine(readFileSync('/proc/stat', 'utf8')) - ours;
}
