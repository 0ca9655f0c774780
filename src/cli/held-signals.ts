import { EventEmitter } from 'node:events';
import { constants } from 'node:os';

import type { SignalHost } from './signals.js';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
type HeldSignal = (typeof SIGNALS)[number];

/**
 * Takes the process's signals from its first moment on, and keeps them until somebody can act on them: while the
 * gateway starts, a signal must neither kill it half-way nor be lost. A second one to stop ends the process at once.
 */
export class HeldSignals extends EventEmitter implements SignalHost {
  #held: Set<HeldSignal> | null = new Set();

  constructor(private readonly host: SignalHost) {
    super();
    for (const signal of SIGNALS) host.on(signal, () => this.#take(signal));
  }

  /** Whether one of those that came asks for the end. */
  get stopRequested(): boolean {
    return this.#held !== null && (this.#held.has('SIGTERM') || this.#held.has('SIGINT'));
  }

  /** From now on signals go to this emitter's listeners, with their name; first those that were kept, each once. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const signal of held) this.emit(signal, signal);
  }

  exit(code: number): void {
    this.host.exit(code);
  }

  #take(signal: HeldSignal): void {
    if (this.#held === null) return void this.emit(signal, signal);
    if (signal !== 'SIGHUP' && this.stopRequested) return this.exit(128 + constants.signals[signal]);
    this.#held.add(signal);
  }
}
