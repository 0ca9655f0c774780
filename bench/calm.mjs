import { setTimeout as sleep } from 'node:timers/promises';

import { cpuOfOthers } from './measure.mjs';

/** Others may take this share of one core during a burst. */
export const CALM = 0.05;
const TRIES = 4;
const LOOK_MS = 300;
/** Fewer calm bursts than these say too little. */
const ENOUGH = 3;

let patienceMs = 0;

/** How long all bursts of a run together may wait for others to finish. */
export function setPatience(seconds) {
  patienceMs = seconds * 1000;
}

/**
 * Makes a burst when the machine is calm, and again, some times, when others came in between. Resolves to what the
 * calmest one gave, with `disturbed`: the share of one core that processes took which the bench has not started.
 */
export async function calmest(burst) {
  let best = null;
  for (let i = 0; i < TRIES; i += 1) {
    await untilCalm();
    const figures = await watched(burst);
    if (best === null || figures.disturbed < best.disturbed) best = figures;
    if (best.disturbed <= CALM) break;
  }
  return best;
}

async function untilCalm() {
  while (patienceMs > 0) {
    const start = performance.now();
    const { disturbed } = await watched(() => sleep(LOOK_MS));
    if (disturbed <= CALM) return;
    patienceMs -= performance.now() - start;
  }
}

/** Which bursts of a run count: the calm ones if they are enough, else all. */
export function counted({ disturbed }) {
  const calm = disturbed.map((share) => share <= CALM);
  return isEnough(calm) ? calm : calm.map(() => true);
}

/** Whether a run has enough calm bursts. */
export function isCalm({ disturbed }) {
  return isEnough(disturbed.map((share) => share <= CALM));
}

function isEnough(calm) {
  return calm.filter(Boolean).length >= ENOUGH;
}

async function watched(burst) {
  const start = performance.now();
  const before = cpuOfOthers(process.pid);
  const figures = await burst();
  const taken = cpuOfOthers(process.pid) - before;
  return { ...figures, disturbed: Math.max(0, taken / (performance.now() - start) / 1000) };
}
