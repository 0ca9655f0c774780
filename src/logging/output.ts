import { openSync } from 'node:fs';

import { destination as openDestination, type DestinationStream } from 'pino';
import { prettyFactory } from 'pino-pretty';

import type { LoggingConfig } from '../config/observability.config.js';

/** Where finished lines go, in order. */
export interface LogOutput extends DestinationStream {
  /** One line with its line feed. */
  write(line: string): void;
  /** Everything written so far is out, or a second has passed: a stuck reader must not hold up the stop. */
  flush(): Promise<void>;
  /** The same at once, blocking. */
  flushSync(): void;
}

type Destination = ReturnType<typeof openDestination>;

/** Characters collected before a write: one write for some eighty lines. */
const BATCH_LENGTH = 32 * 1024;
/** Longest time in milliseconds that a line waits in the batch. */
const FLUSH_INTERVAL = 200;
/** Bytes kept for a reader that does not keep up; more is dropped and counted. */
const BACKLOG_BYTES = 16 * 1024 * 1024;
const FLUSH_DEADLINE = 1_000;

/**
 * Standard output (or the file descriptor or file given), written in batches outside the event loop and
 * flushed when the process exits, after a fatal error too.
 */
export function openOutput(config: Pick<LoggingConfig, 'format'>, dest: number | string = 1): LogOutput {
  const output = batchedOutput(dest);
  if (config.format === 'json') return output;
  const pretty = prettyFactory({ singleLine: true, colorize: dest === 1 && process.stdout.isTTY });
  return {
    write: (line) => output.write(pretty(line)),
    flush: () => output.flush(),
    flushSync: () => output.flushSync(),
  };
}

/** Both applications of a process write to standard output: through one batch, so that no line is torn. */
const byDescriptor = new Map<number, LogOutput>();

function batchedOutput(dest: number | string): LogOutput {
  if (typeof dest === 'string') return new BatchedOutput(dest);
  const output = byDescriptor.get(dest) ?? new BatchedOutput(dest);
  byDescriptor.set(dest, output);
  return output;
}

/**
 * The batch is a string of our own: SonicBoom measures its whole buffer at every write, which at this size
 * costs more than all the rest of a line.
 */
class BatchedOutput implements LogOutput {
  private readonly stream: Destination;
  private readonly streamFlushSync: () => void;
  private batch = '';
  private dropped = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(dest: number | string) {
    this.stream = openDestination({
      dest: typeof dest === 'number' ? dest : openSync(dest, 'a'),
      sync: false,
      maxWrite: 4 * BATCH_LENGTH,
      maxLength: BACKLOG_BYTES,
    });
    // pino calls this when the process exits.
    this.streamFlushSync = this.stream.flushSync.bind(this.stream);
    this.stream.flushSync = () => this.flushSync();
    this.stream.on('drop', (batch: string) => {
      this.dropped += batch.split('\n').length - 1;
    });
    this.stream.on('drain', () => this.reportDrops());
  }

  write(line: string): void {
    this.timer ??= setTimeout(this.passOn, FLUSH_INTERVAL).unref();
    this.batch += line;
    if (this.batch.length >= BATCH_LENGTH) this.passOn();
  }

  async flush(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const deadline = setTimeout(resolve, FLUSH_DEADLINE);
    this.stream.once('drain', resolve);
    // An empty write is followed by a drain too.
    this.stream.write(this.takeBatch());
    await promise;
    clearTimeout(deadline);
  }

  flushSync(): void {
    this.passOn();
    this.streamFlushSync();
  }

  private readonly passOn = (): void => {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (this.batch !== '') this.stream.write(this.takeBatch());
  };

  private takeBatch(): string {
    const batch = this.batch;
    this.batch = '';
    return batch;
  }

  /** Lines that a reader was too slow for are told of once it reads again. */
  private reportDrops(): void {
    if (this.dropped === 0) return;
    const time = new Date().toISOString();
    this.write(`${JSON.stringify({ time, level: 'WARN', msg: 'log lines dropped', count: this.dropped })}\n`);
    this.dropped = 0;
  }
}
