import type { Socket } from 'node:net';

/** Bytes kept of a client that sends before its handshake is answered; beyond, its socket waits. */
const EARLY_LIMIT = 64 * 1024;

/**
 * The socket of a client that asked for an upgrade, from node's `upgrade` event on, when node itself has let go of it.
 * It is read all the time: an end or a reset would go unnoticed otherwise.
 */
export class UpgradingClient {
  #early: Buffer[] = [];
  #earlyBytes = 0;
  #reader: ((chunk: Buffer) => void) | null = null;

  /** @param head bytes that came in one piece with the request */
  constructor(
    readonly socket: Socket,
    head: Buffer,
  ) {
    socket.setTimeout(0);
    // 'close' follows, and tells whoever needs to know.
    socket.on('error', () => {});
    if (head.length > 0) this.#take(head);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  /** Hands on what was kept, then all that comes. The socket's pace is the reader's business from here on. */
  readInto(reader: (chunk: Buffer) => void): void {
    const early = this.#early;
    this.#early = [];
    this.#reader = reader;
    this.socket.resume();
    for (const chunk of early) reader(chunk);
  }

  /** What the client sends is of no use any more. */
  discard(): void {
    this.readInto(() => {});
  }

  #take(chunk: Buffer): void {
    if (this.#reader !== null) return this.#reader(chunk);
    this.#early.push(chunk);
    this.#earlyBytes += chunk.length;
    if (this.#earlyBytes > EARLY_LIMIT) this.socket.pause();
  }
}
