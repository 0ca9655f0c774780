import { setTimeout as delay } from 'node:timers/promises';

import { waitFor } from '../support/wait.js';
import type { FaultyBackend } from './backend.js';
import { documentOf, type Places, refusedText } from './document.js';
import type { GatewayProcess } from './gateway-process.js';
import type { Judge } from './judge.js';
import type { LogLedger } from './log-ledger.js';
import { Random } from './random.js';

/** Streams of the seed that no session uses. */
const BACKENDS_STREAM = -2;
const RELOADS_STREAM = -3;

/** Kills, freezes and restarts backends, in an order and after pauses that the seed alone decides. */
export async function troubleBackends(
  seed: number,
  backends: readonly FaultyBackend[],
  over: AbortSignal,
): Promise<void> {
  const random = new Random(seed, BACKENDS_STREAM);
  while (!over.aborted) {
    await delay(random.between(100, 500));
    const backend = random.pick(backends);
    const deed = random.weighted({ reset: 4, close: 4, freeze: 3, blink: 4 });
    const pause = random.between(50, 900);
    if (!backend.running) await backend.start();
    else if (deed === 'freeze') await frozen(backend, pause);
    else {
      await backend.kill(deed === 'close' ? 'close' : 'reset');
      if (deed === 'blink') await backend.start();
    }
  }
  await Promise.all(backends.map((backend) => backend.start()));
}

async function frozen(backend: FaultyBackend, ms: number): Promise<void> {
  backend.freeze();
  await delay(ms);
  backend.thaw();
}

export interface ReloadScene {
  readonly gateway: GatewayProcess;
  readonly places: Places;
  readonly ledger: LogLedger;
  readonly judge: Judge;
}

/** Reloads by SIGHUP, every second time a document that must be refused; returns how often. */
export async function reloadAgainAndAgain(
  seed: number,
  scene: ReloadScene,
  over: AbortSignal,
): Promise<number> {
  const { gateway, places, ledger, judge } = scene;
  const random = new Random(seed, RELOADS_STREAM);
  let reloads = 0;
  for (; !over.aborted; reloads++) {
    await delay(random.between(150, 600));
    const valid = reloads % 2 === 0;
    gateway.configure(
      valid ? JSON.stringify(documentOf(places, reloads)) : refusedText(places, reloads >> 1),
    );
    const msg = valid ? 'config reloaded' : 'config reload failed';
    const before = ledger.count(msg);
    gateway.signal('SIGHUP');
    try {
      await waitFor(() => ledger.count(msg) > before || gateway.exit !== null, msg, {
        timeoutMs: 10_000,
        intervalMs: 20,
      });
    } catch {
      judge.violation(`reload ${reloads}: no "${msg}" in the log`);
    }
    if (gateway.exit !== null) return reloads;
  }
  gateway.configure(JSON.stringify(documentOf(places, 0)));
  return reloads;
}
