import { createServer, type Socket } from 'node:net';

import { closeAtEnd, listen, type ParsedRequest, parseRequests } from '../support/index.js';

/**
 * An upstream for properties over many inputs: it keeps the requests that came whole, the bytes of those that
 * were cut, and what a strict reader has to say against any of them. Unlike RAWUP it forgets what it has read.
 */
export class Recorder {
  /** Bytes of the next answers; a final `<close>` ends the connection after them, `<reset>` resets it. */
  reply = 'HTTP/1.1 200 OK\r\nX-Up: 1\r\nContent-Length: 2\r\n\r\nok';
  whole: ParsedRequest[] = [];
  cut: string[] = [];
  faults: string[] = [];
  port = 0;
  private readonly server = createServer({ noDelay: true }, (socket) => this.serve(socket));

  static async start(): Promise<Recorder> {
    const recorder = new Recorder();
    recorder.port = await listen(recorder.server);
    closeAtEnd(() => recorder.server.close());
    return recorder;
  }

  get backend(): { url: string } {
    return { url: `http://127.0.0.1:${this.port}` };
  }

  forget(): void {
    this.whole = [];
    this.cut = [];
    this.faults = [];
  }

  private serve(socket: Socket): void {
    let bytes = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (!this.take(bytes)) return;
      bytes = Buffer.alloc(0);
      this.answer(socket);
    });
    socket.on('close', () => {
      if (bytes.length > 0) this.cut.push(bytes.toString('latin1'));
    });
  }

  /** True when a whole request, or nonsense, was taken. */
  private take(bytes: Buffer): boolean {
    try {
      const { requests, rest } = parseRequests(bytes);
      if (!requests[0]?.complete) return false;
      if (requests.length > 1 || rest.length > 0) this.blame('more than one request at once', bytes);
      this.whole.push(requests[0]);
    } catch (error) {
      this.blame(String(error), bytes);
    }
    return true;
  }

  private blame(fault: string, bytes: Buffer): void {
    this.faults.push(`${fault}: ${JSON.stringify(bytes.toString('latin1'))}`);
  }

  private answer(socket: Socket): void {
    const [, bytes = '', end] = /^(.*?)(<close>|<reset>)?$/s.exec(this.reply) ?? [];
    socket.write(bytes, 'latin1', () => {
      if (end === '<close>') socket.end();
      else if (end === '<reset>') socket.resetAndDestroy();
    });
  }
}
