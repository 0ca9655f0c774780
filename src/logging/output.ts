import { fsyncSync, openSync } from 'node:fs';

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

/** Bytes collected before a write: one write for some eighty lines. */
const BATCH_BYTES = 32 * 1024;
/** Bytes of UTF-8 that a UTF-16 unit takes at most. */
const WIDEST = 3;
/** Longest time in milliseconds that a line waits in the batch. */
const FLUSH_INTERVAL = 200;
/** Bytes kept for a reader that does not keep up; more is dropped and counted. */
const BACKLOG_BYTES = 16 * 1024 * 1024;
const FLUSH_DEADLINE = 1_000;
const LINE_FEED = 0x0a;

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
 * The batch is bytes of our own. SonicBoom measures, writes and counts strings, and converts them each time; and a
 * line costs the less to convert the sooner that is done, while its parts are still in the processor's cache.
 */
class BatchedOutput implements LogOutput {
  private readonly descriptor: number;
  private readonly stream: Destination;
  private readonly streamFlushSync: () => void;
  private readonly batch = Buffer.allocUnsafe(BATCH_BYTES);
  private filled = 0;
  private dropped = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(dest: number | string) {
    this.descriptor = typeof dest === 'number' ? dest : openSync(dest, 'a');
    this.stream = openBytes(this.descriptor);
    // pino calls this when the process exits.
    this.streamFlushSync = this.stream.flushSync.bind(this.stream);
    this.stream.flushSync = () => this.flushSync();
    this.stream.on('drop', (batch: Buffer) => {
      this.dropped += batch.reduce((lines, byte) => (byte === LINE_FEED ? lines + 1 : lines), 0);
    });
    this.stream.on('drain', () => this.reportDrops());
  }

  write(line: string): void {
    const needed = line.length * WIDEST;
    if (this.filled + needed > BATCH_BYTES) this.passOn();
    if (needed > BATCH_BYTES) return this.passOnBytes(Buffer.from(line));
    this.timer ??= setTimeout(this.passOn, FLUSH_INTERVAL).unref();
    this.filled += this.batch.write(line, this.filled);
  }

  async flush(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const deadline = setTimeout(resolve, FLUSH_DEADLINE);
    this.stream.once('drain', resolve);
    // An empty write is followed by a drain too.
    this.passOnBytes(this.takeBatch());
    await promise;
    clearTimeout(deadline);
  }

  flushSync(): void {
    this.passOn();
    this.streamFlushSync();
    try {
      fsyncSync(this.descriptor);
    } catch {
      // Pipes and terminals keep nothing that could be synced.
    }
  }

  private readonly passOn = (): void => {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (this.filled > 0) this.passOnBytes(this.takeBatch());
  };

  private passOnBytes(batch: Buffer): void {
    // Its types know strings alone.
    this.stream.write(batch as unknown as string);
  }

  /** A copy of its own size: what waits for a slow reader takes no more room than is counted. */
  private takeBatch(): Buffer {
    const taken = Buffer.from(this.batch.subarray(0, this.filled));
    this.filled = 0;
    return taken;
  }

  /** Lines that a reader was too slow for are told of once it reads again. */
  private reportDrops(): void {
    if (this.dropped === 0) return;
    const time = new Date().toISOString();
    this.write(`${JSON.stringify({ time, level: 'WARN', msg: 'log lines dropped', count: this.dropped })}\n`);
    this.dropped = 0;
  }
}

/** Every batch is a write of its own. */
function openBytes(descriptor: number): Destination {
  return openDestination({
    dest: descriptor,
    sync: false,
    contentMode: 'buffer',
    maxWrite: 1,
    maxLength: BACKLOG_BYTES,
  });
}
