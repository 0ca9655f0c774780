import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { crc32 } from 'node:zlib';

import { framingOf, type MessageHead, MessageReader, valuesOf } from '../support/http-message.js';
import { BodyReader } from './body-reader.js';
import { faultOf, type FaultName } from './faults.js';
import { reset } from './reset.js';
import { Stage, type StageConnection, type StageRequest } from './stage.js';
import type { WebSocketBackend } from './websocket-backend.js';

/** Hears what reaches the backends. */
export interface Witness {
  reached(tag: string, method: string, id: string | undefined): void;
  violation(message: string): void;
}

/** A backend that does with each request what the request asks for, and that can be killed, frozen and restarted. */
export class FaultyBackend {
  readonly connections = new Set<BackendConnection>();
  #server: Server | null = null;
  frozen = false;

  constructor(
    readonly port: number,
    readonly witness: Witness,
    readonly webSockets: WebSocketBackend,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get running(): boolean {
    return this.#server !== null;
  }

  async start(): Promise<void> {
    if (this.#server) return;
    const server = (this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      const connection = new BackendConnection(socket, this);
      this.connections.add(connection);
      socket.on('close', () => this.connections.delete(connection));
      if (this.frozen) socket.pause();
    }));
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
  }

  /** Stops listening and ends every connection, all at once: by a reset, or by a close as a process's end makes it. */
  async kill(how: 'reset' | 'close'): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = null;
    server.close();
    for (const { socket } of this.connections) {
      if (how === 'reset') reset(socket);
      else socket.destroy();
    }
    await once(server, 'close');
  }

  /** Accepts and reads nothing until thawed. */
  freeze(): void {
    this.frozen = true;
    for (const { socket } of this.connections) socket.pause();
  }

  thaw(): void {
    this.frozen = false;
    for (const { socket } of this.connections) socket.resume();
  }
}

interface CurrentRequest extends StageRequest {
  uploadCrc: number;
  readonly fault: FaultName | null;
  readonly body: BodyReader;
  readonly declaredCrc: string | undefined;
  whole: boolean;
}

/** One connection of the gateway: reads request after request, strictly, and plays what each asks for. */
class BackendConnection implements StageConnection {
  #rest: Buffer = Buffer.alloc(0);
  #current: CurrentRequest | null = null;
  #isAnswered = false;
  #upgraded = 'idle';
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(
    readonly socket: Socket,
    readonly backend: FaultyBackend,
  ) {
    socket.on('error', () => {});
    socket.on('data', this.#data);
    socket.on('end', () => socket.end());
    socket.on('close', () => this.#timers.forEach(clearTimeout));
  }

  /** For those who wonder why it is still there. */
  get state(): string {
    const { socket } = this;
    const doing = this.#current ? `${this.#current.tag} ${this.#current.fault}` : this.#upgraded;
    return `${doing}, paused: ${socket.isPaused()}, ended: ${socket.readableEnded}/${socket.writableEnded}/${socket.writableFinished}`;
  }

  timer(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms);
    this.#timers.add(timer);
  }

  answered(): void {
    this.#isAnswered = true;
    this.#read();
  }

  readonly #data = (chunk: Buffer): void => {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#read();
  };

  #read(): void {
    try {
      for (;;) {
        if (this.#current === null && !this.#begin()) return;
        const request = this.#current;
        if (request === null) return;
        this.#rest = request.body.take(this.#rest);
        if (!request.body.complete) return;
        if (!request.whole) this.#onWhole(request);
        // Its answer may have led here already, and on to the next request.
        if (this.#current !== request) continue;
        if (!this.#isAnswered) return;
        this.#current = null;
        this.#isAnswered = false;
      }
    } catch (error) {
      this.backend.witness.violation(`a backend got what is no request: ${String(error)}`);
      this.socket.destroy();
    }
  }

  /** Takes the next head; false when it is not there yet. */
  #begin(): boolean {
    const reader = new MessageReader(this.#rest);
    const head = reader.head();
    if (head === null) return false;
    this.#rest = reader.remaining;
    if (valuesOf(head.headers, 'upgrade').length > 0) this.#upgrade(head);
    else this.#take(head);
    return this.#current !== null;
  }

  #take(head: MessageHead): void {
    const field = (name: string): string | undefined => valuesOf(head.headers, name)[0];
    const [method = '', target] = head.startLine.split(' ');
    const tag = field('x-tag');
    if (tag === undefined && target !== '/health') throw new Error(`no tag: ${head.startLine}`);
    const request: CurrentRequest = (this.#current = {
      tag: tag ?? 'probe',
      method,
      size: Number(field('x-size') ?? 0),
      fault: (field('x-fault') as FaultName | undefined) ?? null,
      declaredCrc: field('x-upload-crc'),
      uploadCrc: 0,
      whole: false,
      body: new BodyReader(framingOf(head.headers) ?? 0, (piece) => {
        request.uploadCrc = crc32(piece, request.uploadCrc);
      }),
    });
    if (tag !== undefined) this.backend.witness.reached(tag, method, field('x-request-id'));
    if (request.fault !== null && faultOf(request.fault).early) this.#play(request);
  }

  #onWhole(request: CurrentRequest): void {
    request.whole = true;
    if (request.declaredCrc !== undefined && Number(request.declaredCrc) !== request.uploadCrc) {
      this.backend.witness.violation(`${request.tag}: an upload ended cleanly that was not whole`);
    }
    if (request.fault === null || !faultOf(request.fault).early) this.#play(request);
  }

  #play(request: CurrentRequest): void {
    const stage = new Stage(request, this);
    if (request.fault === null) stage.answer();
    else faultOf(request.fault).play(stage);
  }

  #upgrade(head: MessageHead): void {
    const headers = Object.fromEntries(head.headers.map(([name, value]) => [name.toLowerCase(), value]));
    const [method, url] = head.startLine.split(' ');
    this.backend.witness.reached(headers['x-tag'] ?? '', method!, headers['x-request-id']);
    this.#upgraded = `WebSocket ${headers['x-tag']} ${headers['x-ws']}`;
    this.socket.off('data', this.#data);
    const request = { method, url, headers, socket: this.socket } as unknown as IncomingMessage;
    this.backend.webSockets.take(request, this.socket, this.#rest);
  }
}
