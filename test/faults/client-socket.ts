import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { reset } from './reset.js';
import { ResponseReader } from './response-reader.js';

/** Nothing may take longer: a client that waits so long hangs. */
export const HANG_MS = 20_000;

export interface ClientSocketOptions {
  readonly port: number;
  readonly address: string;
  /** Reads so many bytes at a time, resting after each. */
  readonly sip?: number;
}

/** A client's connection: sends bytes as told, reads answers strictly. */
export class ClientSocket {
  readonly methods: string[] = [];
  readonly reader = new ResponseReader(this.methods);
  /** What the gateway sent was not HTTP. */
  fault: Error | null = null;
  ended = false;
  closed = false;
  wasReset = false;
  readonly #socket: Socket;
  #waiting: (() => void)[] = [];

  constructor({ port, address, sip }: ClientSocketOptions) {
    const target = { host: '127.0.0.1', port, localAddress: address, allowHalfOpen: true, noDelay: true };
    this.#socket = sip === undefined ? connect(target) : connect({ ...target, onread: this.#sips(sip) });
    if (sip === undefined) this.#socket.on('data', (chunk) => this.#take(chunk as Buffer));
    this.#socket.on('end', () => this.#end(true));
    this.#socket.on('error', () => (this.wasReset = true));
    this.#socket.on('close', () => {
      this.closed = true;
      this.#end(false);
    });
  }

  async open(): Promise<this> {
    await once(this.#socket, 'connect');
    return this;
  }

  get answers(): ResponseReader['answers'] {
    return this.reader.answers;
  }

  get writable(): boolean {
    return this.#socket.writable;
  }

  /** Resolves once the kernel has the bytes or the connection is gone. */
  async send(bytes: Buffer | string): Promise<void> {
    if (!this.writable) return;
    const data = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        this.#socket.off('close', settle);
        resolve();
      };
      this.#socket.once('close', settle);
      this.#socket.write(data, settle);
    });
  }

  /** Looks after each event until the condition holds or the connection ended; false when it hangs. */
  async until(condition: () => boolean, ms = HANG_MS): Promise<boolean> {
    const due = performance.now() + ms;
    // A tick more, so that it is due by then.
    const timer = setTimeout(() => this.#wake(), ms + 5);
    while (!condition() && !this.ended && performance.now() < due) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    clearTimeout(timer);
    return condition() || this.ended;
  }

  finish(): void {
    this.#socket.end();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Leaves, whatever is under way. */
  leave(how: 'reset' | 'close'): void {
    if (how === 'reset') reset(this.#socket);
    else this.#socket.destroy();
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #take(chunk: Buffer): void {
    try {
      if (this.fault === null) this.reader.push(chunk);
    } catch (error) {
      this.fault = error as Error;
    }
    this.#wake();
  }

  #end(cleanly: boolean): void {
    if (!this.ended) {
      this.ended = true;
      try {
        if (this.fault === null) this.reader.end(cleanly);
      } catch (error) {
        this.fault = error as Error;
      }
    }
    this.#wake();
  }

  #sips(sip: number): { buffer: Buffer; callback: (bytes: number, buffer: Uint8Array) => boolean } {
    let sips = 0;
    return {
      buffer: Buffer.alloc(sip),
      callback: (bytes, buffer) => {
        this.#take(Buffer.from(buffer.subarray(0, bytes)));
        if (++sips % 50 > 0) return true;
        void delay(1).then(() => this.#socket.resume());
        return false;
      },
    };
  }
}
