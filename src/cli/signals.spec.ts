import { EventEmitter } from 'node:events';

import { describe, expect, it } from 'vitest';

import { surviveFaults } from './faults.js';
import { type Stoppable, untilStopped } from './signals.js';

class Host extends EventEmitter {
  readonly exits: number[] = [];

  exit(code: number): void {
    this.exits.push(code);
  }
}

class Log {
  readonly messages: string[] = [];

  error(_fields: unknown, message?: string): void {
    this.messages.push(String(message));
  }

  warn(message: unknown): void {
    this.messages.push(String(message));
  }
}

class Gateway implements Stoppable {
  readonly calls: string[] = [];
  stopped = Promise.withResolvers<void>();
  reloaded: Promise<boolean> = Promise.resolve(true);

  stop(signal: string): Promise<void> {
    this.calls.push(`stop ${signal}`);
    return this.stopped.promise;
  }

  reload(): Promise<boolean> {
    this.calls.push('reload');
    return this.reloaded;
  }
}

function setUp() {
  const [gateway, host, log] = [new Gateway(), new Host(), new Log()];
  return { gateway, host, log, code: untilStopped(gateway, host, log) };
}

describe('untilStopped', () => {
  it('drains at the first signal and resolves to 0 once stopped', async () => {
    const { gateway, host, code } = setUp();
    host.emit('SIGTERM', 'SIGTERM');
    gateway.stopped.resolve();
    expect(await code).toBe(0);
    expect(gateway.calls).toEqual(['stop SIGTERM']);
    expect(host.exits).toEqual([]);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ])('exits at once at a second signal: %s', (signal, exitCode) => {
    const { gateway, host } = setUp();
    host.emit('SIGINT', 'SIGINT');
    host.emit(signal, signal);
    expect(host.exits).toEqual([exitCode]);
    expect(gateway.calls).toEqual(['stop SIGINT']);
  });

  it('resolves to 1 when stopping fails', async () => {
    const { gateway, host, log, code } = setUp();
    host.emit('SIGINT', 'SIGINT');
    gateway.stopped.reject(new Error('stuck'));
    expect(await code).toBe(1);
    expect(log.messages).toEqual(['shutdown failed']);
  });

  it('reloads at SIGHUP and lives when that fails', async () => {
    const { gateway, host, log, code } = setUp();
    gateway.reloaded = Promise.reject(new Error('bad file'));
    host.emit('SIGHUP', 'SIGHUP');
    await expect.poll(() => log.messages).toEqual(['config reload failed']);
    host.emit('SIGTERM', 'SIGTERM');
    gateway.stopped.resolve();
    expect(await code).toBe(0);
    expect(gateway.calls).toEqual(['reload', 'stop SIGTERM']);
  });
});

describe('surviveFaults', () => {
  it('logs what nobody caught', () => {
    const [host, log] = [new Host(), new Log()];
    surviveFaults(host, log);
    host.emit('uncaughtException', new Error('a'));
    host.emit('unhandledRejection', 'b');
    expect(log.messages).toEqual(['internal error', 'internal error']);
  });
});
