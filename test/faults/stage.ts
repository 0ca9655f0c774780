import type { Socket } from 'node:net';
import { crc32 } from 'node:zlib';

import { contentOf } from './content.js';
import { reset } from './reset.js';

export interface ChunkedPlan {
  readonly pieces?: number;
  /** Milliseconds between two pieces. Default: none, all in one go. */
  readonly everyMs?: number;
  readonly type?: string;
  readonly trailer?: string;
  /** One more header line. */
  readonly extra?: string;
  /** Break after so many pieces, in the middle of the next one. */
  readonly breakAfter?: number;
  readonly how?: 'fin' | 'reset' | 'garbage';
}

/** What the connection that a request came on lets its answer do. */
export interface StageConnection {
  readonly socket: Socket;
  /** The request was answered: the next one may be read. */
  answered(): void;
  timer(ms: number, run: () => void): void;
}

export interface StageRequest {
  readonly tag: string;
  readonly method: string;
  readonly size: number;
  /** Of what came of its body so far. */
  readonly uploadCrc: number;
}

/** Where a fault plays: one request and the socket it came on. Each method does one thing and returns the stage. */
export class Stage {
  #body: Buffer | null = null;
  #unwritten = 0;
  #then: (() => void) | null = null;

  constructor(
    readonly request: StageRequest,
    readonly connection: StageConnection,
  ) {}

  get size(): number {
    return this.request.size;
  }

  get body(): Buffer {
    return (this.#body ??= contentOf(this.request.tag, this.size));
  }

  /** The header lines that tell whose answer this is. */
  get marks(): string {
    const { tag, uploadCrc } = this.request;
    return `X-Tag: ${tag}\r\nX-Size: ${this.size}\r\nX-Got: ${uploadCrc}`;
  }

  head(...lines: string[]): string {
    return `HTTP/1.1 200 OK\r\n${[this.marks, 'Content-Type: application/octet-stream', ...lines].join('\r\n')}\r\n\r\n`;
  }

  oneOf<T>(list: readonly T[]): T {
    return list[crc32(this.request.tag) % list.length]!;
  }

  send(...parts: (string | Buffer)[]): this {
    const bytes = Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)),
    );
    const { socket } = this.connection;
    if (!socket.writable) return this;
    // What is said in one turn leaves in one piece, so that its end is there before its beginning was dealt with.
    socket.cork();
    this.#unwritten++;
    socket.write(bytes, () => {
      if (--this.#unwritten === 0) this.#then?.();
    });
    process.nextTick(() => socket.uncork());
    return this;
  }

  /** The right answer. */
  answer(): this {
    const body = this.request.method === 'HEAD' ? '' : this.body;
    this.send(this.head(`Content-Length: ${this.size}`), body);
    return this.done();
  }

  done(): this {
    this.connection.answered();
    return this;
  }

  halfHead(): this {
    const head = this.head(`Content-Length: ${this.size}`);
    return this.send(head.slice(0, head.length >> 1));
  }

  halfBody(): this {
    return this.send(this.head(`Content-Length: ${this.size}`), this.body.subarray(0, this.size >> 1));
  }

  chunked(plan: ChunkedPlan): this {
    const { type = 'application/octet-stream', extra, trailer } = plan;
    const lines = [this.marks, `Content-Type: ${type}`, 'Transfer-Encoding: chunked'];
    if (trailer) lines.push('Trailer: X-Trailer');
    if (extra) lines.push(extra);
    this.send(`HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\n\r\n`);
    if (this.request.method === 'HEAD') return this.done();
    this.#piece(plan, 0);
    return this;
  }

  #piece(plan: ChunkedPlan, at: number): void {
    const { pieces = 1, everyMs = 0, trailer } = plan;
    const piece = this.body.subarray(...[at, at + 1].map((n) => Math.floor((this.size * n) / pieces)));
    if (at === plan.breakAfter) return this.#break(plan, piece);
    if (piece.length > 0) this.send(`${piece.length.toString(16)}\r\n`, piece, '\r\n');
    if (at + 1 === pieces) {
      this.send(trailer ? `0\r\n${trailer}\r\n\r\n` : '0\r\n\r\n').done();
    } else if (everyMs > 0) this.later(everyMs, () => this.#piece(plan, at + 1));
    else this.#piece(plan, at + 1);
  }

  #break({ how }: ChunkedPlan, piece: Buffer): void {
    if (how === 'garbage') return void this.send('xyz\r\n', piece);
    this.send(`${piece.length.toString(16)}\r\n`, piece.subarray(0, piece.length >> 1));
    if (how === 'reset') this.soon(() => this.reset());
    else this.fin();
  }

  /** Header lines without end. */
  endless(): this {
    return this.send(`X-More: ${'y'.repeat(8_000)}\r\n`).later(5, () => this.endless());
  }

  /** Ends its half and goes on reading. */
  fin(): this {
    this.connection.socket.end();
    return this;
  }

  reset(): this {
    reset(this.connection.socket);
    return this;
  }

  /** Reads nothing for a while, then gives up without a word. */
  deafen(ms: number): this {
    this.connection.socket.pause();
    return this.later(ms, () => this.connection.socket.destroy());
  }

  /** Reads nothing for a while, then goes on. */
  hold(ms: number, then: () => void): this {
    this.connection.socket.pause();
    return this.later(ms, () => {
      this.connection.socket.resume();
      then();
    });
  }

  /** Once what was sent is with the kernel. */
  soon(run: () => void): this {
    if (this.#unwritten === 0) run();
    else this.#then = run;
    return this;
  }

  later(ms: number, run: () => void): this {
    this.connection.timer(ms, run);
    return this;
  }
}
