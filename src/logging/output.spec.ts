import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { openOutput } from './output.js';

const LINE = '{"time":"2026-11-29T10:00:00.001Z","level":"INFO","msg":"hello","agent":"\\u001b[31m"}\n';

describe('the output', () => {
  let directory = '';
  let file = '';

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'nexus-log-'));
    file = join(directory, 'log');
  });

  afterEach(() => {
    vi.useRealTimers();
    rmSync(directory, { recursive: true });
  });

  const written = (): string => readFileSync(file, 'utf8');

  it('has written every line in order after a flush', async () => {
    const output = openOutput({ format: 'json' }, file);
    const lines = Array.from({ length: 5_000 }, (_, at) => `{"line":${at},"text":"${'ä'.repeat(20)}"}\n`);
    for (const line of lines) output.write(line);
    await output.flush();
    expect(written()).toBe(lines.join(''));
  });

  it('writes lines of any length in order, those longer than a batch too', async () => {
    const output = openOutput({ format: 'json' }, file);
    const lines = [1, 40_000, 10, 11_000, 100_000, 5].map((length) => `${'€'.repeat(length)}\n`);
    for (const line of lines) output.write(line);
    await output.flush();
    expect(written()).toBe(lines.join(''));
  });

  it('flushes again and again, with nothing to write too', async () => {
    const output = openOutput({ format: 'json' }, file);
    await output.flush();
    output.write('one\n');
    await output.flush();
    await output.flush();
    output.write('two\n');
    await output.flush();
    expect(written()).toBe('one\ntwo\n');
  });

  it('writes blocking when asked to', () => {
    const output = openOutput({ format: 'json' }, file);
    output.write('last words\n');
    output.flushSync();
    expect(written()).toBe('last words\n');
  });

  it('holds a few lines back for less than a second', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    openOutput({ format: 'json' }, file).write('held back\n');
    expect(written()).toBe('');
    vi.advanceTimersByTime(999);
    vi.useRealTimers();
    await vi.waitFor(() => expect(written()).toBe('held back\n'));
  });

  it('is one for all who write to the same descriptor: no line is torn, the order stays', async () => {
    const descriptor = openSync(file, 'a');
    const outputs = [openOutput({ format: 'json' }, descriptor), openOutput({ format: 'json' }, descriptor)];
    const lines = Array.from({ length: 2_000 }, (_, at) => `${at} ${'x'.repeat(100)}\n`);
    for (const [at, line] of lines.entries()) outputs[at % 2]!.write(line);
    await Promise.all(outputs.map((output) => output.flush()));
    expect(written()).toBe(lines.join(''));
  });

  it('writes a pretty line for people, control characters still escaped', async () => {
    const output = openOutput({ format: 'pretty' }, file);
    output.write(LINE);
    await output.flush();
    expect(written()).toMatch(/^\[10:00:00\.001\] INFO: hello \{"agent":"\\u001b\[31m"\}\n$/);
  });
});
