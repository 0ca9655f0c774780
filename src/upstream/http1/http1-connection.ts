import type { Socket } from 'node:net';
import { Readable } from 'node:stream';

import type {
  Dialled,
  Dialling,
  PooledConnection,
  PooledHandler,
  ReceivedHead,
  UpstreamRequest,
} from '../../exchange/upstream.js';
import { afterPoll, type Polled } from './after-poll.js';
import { ConnectionEndedError, MalformedResponseError } from './faults.js';
import { expectsBody, lengthEnding, requestHead } from './request-head.js';
import { type ResponseEvents, ResponseReader } from './response-reader.js';
import { Upload, type UploadOwner } from './upload.js';

/** The pool that a connection belongs to. */
export interface ConnectionOwner {
  /** Host and port as the backends' Host says them. */
  readonly authority: string;
  dial(done: Dialled): Dialling;
  released(connection: Http1Connection, reusable: boolean): void;
  /** It ended while it was idle. */
  dropped(connection: Http1Connection): void;
}

/**
 * One connection to a backend, from its first request to its last (RFC 9112): one request at a time. Whatever is wrong
 * with what the backend sends ends the connection and fails the request on it, and nothing else.
 */
export class Http1Connection implements PooledConnection, ResponseEvents, UploadOwner, Polled {
  reused = false;
  /** False: it serves no further request. */
  alive = true;
  /** Monotonic milliseconds until when it may be used again; the pool's to keep. */
  idleUntil = 0;
  #socket: Socket | null = null;
  #dialling: Dialling | null = null;
  #handler: PooledHandler | null = null;
  #request: UpstreamRequest | null = null;
  /** What the backend sends is its answer: the request is being written or was. */
  #sent = false;
  #answering = false;
  #upload: Upload | null = null;
  readonly #reader = new ResponseReader(this);

  constructor(private readonly owner: ConnectionOwner) {}

  /** Value of the last response's Keep-Alive. */
  get keepAlive(): string | null {
    return this.#reader.keepAlive;
  }

  run(request: UpstreamRequest, handler: PooledHandler): void {
    handler.connection = this;
    this.#handler = handler;
    this.#request = request;
    if (this.#socket === null) this.#dial();
    // What the backend sent before the request is no answer to it: that must be read first, else it poisons this one.
    else afterPoll(this);
  }

  polled(): void {
    if (this.#handler === null || this.#socket === null || this.#sent) return;
    if (this.#socket.writable) this.#send();
    else this.#replace();
  }

  release(reusable: boolean): void {
    this.reused = true;
    this.owner.released(this, reusable);
  }

  pause(): void {
    this.#reader.pause();
    this.#socket?.pause();
  }

  resume(): void {
    try {
      this.#reader.resume();
    } catch (error) {
      return this.#lost(error as Error);
    }
    if (!this.#reader.paused) this.#socket?.resume();
  }

  abort(cause: Error): void {
    if (this.#handler !== null) this.#fail(cause);
  }

  /** The pool has no more use for it. */
  end(): void {
    this.alive = false;
    this.#discard();
  }

  // The response.

  responseHead(head: ReceivedHead): void {
    this.#handler!.headReceived(head);
  }

  responseData(piece: Buffer): void {
    this.#handler!.bodyReceived(piece);
  }

  responseEnd(trailers: readonly string[] | null, clean: boolean): void {
    const handler = this.#handler!;
    const upload = this.#upload;
    if (!clean || !this.#reader.persistent || !this.#isAtRest || this.#closes) this.alive = false;
    this.#idle();
    upload?.stop();
    handler.responseEnded(trailers);
  }

  /** Whether request and response are through the socket, each to its last byte. */
  get #isAtRest(): boolean {
    const socket = this.#socket!;
    return this.#upload === null && socket.writableLength === 0 && socket.readableLength === 0;
  }

  // The request.

  uploadBegun(): void {
    if (!this.#sent) this.#begin();
  }

  uploadEnded(): void {
    this.#upload = null;
  }

  uploadFailed(cause: Error): void {
    this.#upload = null;
    this.#fail(cause);
  }

  #dial(): void {
    this.reused = false;
    this.#dialling = this.owner.dial((error, socket) => {
      this.#dialling = null;
      if (error === null) this.#connected(socket);
      else this.#fail(error);
    });
  }

  #connected(socket: Socket): void {
    this.#socket = socket;
    socket.on('data', this.#data).on('end', this.#ended).on('error', this.#lost).on('close', this.#closed);
    this.#send();
  }

  #send(): void {
    const handler = this.#handler!;
    const request = this.#request!;
    try {
      const head = requestHead(request, this.owner.authority, handler.lines, this.#closes);
      this.#reader.expect(request.method);
      // A used connection may tell of the request before until the first byte of this one leaves.
      if (!this.reused || !(request.body instanceof Readable)) this.#begin();
      // It may have been given up just now.
      if (this.#handler !== handler) return;
      this.#write(request, head);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #begin(): void {
    this.#sent = true;
    this.#handler!.requestStarted();
  }

  #write(request: UpstreamRequest, head: string): void {
    const { body, method } = request;
    const socket = this.#socket!;
    if (body instanceof Readable) {
      this.#upload = new Upload(socket, body, request, head, this);
    } else if (body === null || body.length === 0) {
      socket.write(head + lengthEnding(method, 0), 'latin1');
    } else {
      socket.cork();
      socket.write(head + lengthEnding(method, body.length), 'latin1');
      socket.write(body);
      socket.uncork();
    }
  }

  /** A request after which the backend is not trusted with another one on this connection. */
  get #closes(): boolean {
    const { method, body } = this.#request!;
    return method === 'HEAD' || (body !== null && !expectsBody(method));
  }

  readonly #data = (bytes: Buffer): void => {
    if (!this.#sent) return this.#lost(new MalformedResponseError('bytes that nobody asked for'));
    if (!this.#answering) {
      this.#answering = true;
      this.#handler!.answerBegan();
    }
    try {
      this.#reader.read(bytes);
    } catch (error) {
      this.#lost(error as Error);
    }
  };

  readonly #ended = (): void => {
    try {
      if (this.#sent) this.#reader.ended();
      if (this.#socket !== null) this.#lost(new ConnectionEndedError());
    } catch (error) {
      this.#lost(error as Error);
    }
  };

  readonly #closed = (): void => this.#lost(new ConnectionEndedError());

  /** The socket is of no use any more. */
  readonly #lost = (cause: Error): void => {
    if (this.#handler !== null) return this.#sent ? this.#fail(cause) : this.#replace();
    this.end();
    this.owner.dropped(this);
  };

  /** A used socket was lost before the next request was written to it: that one has seen nothing of it. */
  #replace(): void {
    this.#upload?.leave();
    this.#upload = null;
    this.#discard();
    this.#dial();
  }

  #fail(cause: Error): void {
    const handler = this.#handler!;
    // First: what ends now may want to give it up too.
    this.#handler = null;
    this.end();
    this.#idle();
    handler.failed(cause);
  }

  #idle(): void {
    this.#handler = null;
    this.#request = null;
    this.#upload = null;
    this.#sent = false;
    this.#answering = false;
  }

  #discard(): void {
    this.#dialling?.destroy();
    this.#dialling = null;
    this.#upload?.stop();
    this.#upload = null;
    this.#reader.stop();
    const socket = this.#socket;
    this.#socket = null;
    if (socket === null) return;
    socket
      .off('data', this.#data)
      .off('end', this.#ended)
      .off('error', this.#lost)
      .off('close', this.#closed);
    // A destroyed socket may still tell of an error.
    socket.on('error', () => {}).destroy();
  }
}
