import type { Socket } from 'node:net';

export interface UntilOptions {
  /** Milliseconds until it gives up. Default 5,000. */
  readonly timeoutMs?: number;
}

/** A plain TCP connection of a test, from either side: what came in, and full control of what goes out. */
export class RawSocket {
  /** False stops keeping what comes in (large transfers); `bytesReceived` goes on counting. */
  keep = true;
  bytesReceived = 0;
  /** The other side has ended its half, or the connection is gone. */
  ended = false;
  /** The connection is gone. */
  closed = false;
  error: Error | null = null;
  private chunks: Buffer[] = [];
  private readonly listeners = new Set<() => void>();

  constructor(readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => this.onData(chunk));
    socket.on('end', () => this.onChange(() => (this.ended = true)));
    socket.on('error', (error) => this.onChange(() => (this.error = error)));
    socket.on('close', () => this.onChange(() => (this.ended = this.closed = true)));
  }

  /** Everything received so far. */
  get received(): Buffer {
    if (this.chunks.length > 1) this.chunks = [Buffer.concat(this.chunks)];
    return this.chunks[0] ?? Buffer.alloc(0);
  }

  /** Everything received so far, one character a byte. */
  get text(): string {
    return this.received.toString('latin1');
  }

  /** Writes bytes (a string is `latin1`); resolves when they were handed to the kernel, false when they could not be. */
  write(bytes: string | Buffer): Promise<boolean> {
    const data = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
    return new Promise((resolve) => {
      this.socket.write(data, (error) => resolve(!error));
    });
  }

  /** Ends our half (FIN). */
  end(): void {
    this.socket.end();
  }

  /** Ends the connection with RST. */
  reset(): void {
    this.socket.resetAndDestroy();
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Stops reading, so that TCP's window fills. */
  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  /**
   * Waits until the predicate gives something truthy, looking after each event of the socket. Fails after the
   * time-out, or when the connection is gone and the predicate still says no, showing what was received.
   */
  until<T>(
    predicate: () => T,
    what: string,
    { timeoutMs = 5_000 }: UntilOptions = {},
  ): Promise<NonNullable<T>> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        try {
          const value = predicate();
          if (value) settle(() => resolve(value));
          else if (this.closed) settle(() => reject(this.failure(`connection closed before ${what}`)));
        } catch (error) {
          settle(() => reject(error));
        }
      };
      const timer = setTimeout(
        () => settle(() => reject(this.failure(`not within ${timeoutMs} ms: ${what}`))),
        timeoutMs,
      );
      const settle = (finish: () => void): void => {
        clearTimeout(timer);
        this.listeners.delete(look);
        finish();
      };
      this.listeners.add(look);
      look();
    });
  }

  untilClosed(options?: UntilOptions): Promise<boolean> {
    return this.until(() => this.closed, 'closed', options);
  }

  /** Waits until the other side has ended its half or the connection is gone. */
  untilEnded(options?: UntilOptions): Promise<boolean> {
    return this.until(() => this.ended, 'ended by the peer', options);
  }

  private onData(chunk: Buffer): void {
    this.bytesReceived += chunk.length;
    if (this.keep) this.chunks.push(chunk);
    this.onChange(() => undefined);
  }

  private onChange(change: () => unknown): void {
    change();
    for (const listener of this.listeners) listener();
  }

  private failure(message: string): Error {
    const shown = JSON.stringify(this.text.slice(0, 600));
    return new Error(`${message}; received ${this.bytesReceived} bytes: ${shown}`, { cause: this.error });
  }
}
