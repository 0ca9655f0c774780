import { EventEmitter } from 'node:events';

import { describe, expect, it } from 'vitest';

import { HeldSignals } from './held-signals.js';

class Host extends EventEmitter {
  readonly exits: number[] = [];

  exit(code: number): void {
    this.exits.push(code);
  }
}

function setUp() {
  const host = new Host();
  const signals = new HeldSignals(host);
  const seen: string[] = [];
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) signals.on(name, (told: string) => seen.push(told));
  return { host, signals, seen };
}

describe('HeldSignals', () => {
  it('keeps what comes early, and gives it once', () => {
    const { host, signals, seen } = setUp();
    for (const name of ['SIGHUP', 'SIGHUP', 'SIGTERM']) host.emit(name, name);
    expect([seen, signals.stopRequested]).toEqual([[], true]);
    signals.release();
    expect(seen).toEqual(['SIGHUP', 'SIGTERM']);
  });

  it('passes on what comes later', () => {
    const { host, signals, seen } = setUp();
    signals.release();
    host.emit('SIGINT');
    host.emit('SIGHUP');
    expect([seen, host.exits, signals.stopRequested]).toEqual([['SIGINT', 'SIGHUP'], [], false]);
  });

  it('ends the process at the second signal to stop', () => {
    const { host } = setUp();
    host.emit('SIGTERM');
    expect(host.exits).toEqual([]);
    host.emit('SIGINT');
    expect(host.exits).toEqual([130]);
  });

  it('asks for no end because of a reload', () => {
    const { host, signals } = setUp();
    host.emit('SIGHUP');
    host.emit('SIGHUP');
    expect([signals.stopRequested, host.exits]).toEqual([false, []]);
  });
});
