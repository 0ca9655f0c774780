import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

import type { UpstreamRequest } from '../../exchange/upstream.js';
import { RequestBodyError } from './faults.js';
import { CHUNKED_ENDING, lengthEnding } from './request-head.js';

export interface UploadOwner {
  /** Its first byte leaves now. */
  uploadBegun(): void;
  uploadEnded(): void;
  uploadFailed(cause: Error): void;
}

/** A body on its way to a backend: with its length, else in chunks (RFC 9112 §7.1). The head leaves with the first piece. */
export class Upload {
  #over = false;
  /** The head has left. */
  #begun = false;
  #bytes = 0;
  readonly #length: number;

  constructor(
    readonly socket: Socket,
    readonly body: Readable,
    readonly request: UpstreamRequest,
    /** Without its end. */
    readonly head: string,
    readonly owner: UploadOwner,
  ) {
    this.#length = request.contentLength;
    body.on('data', this.#data).on('end', this.#ended).on('error', this.#failed).on('close', this.#closed);
    socket.on('drain', this.#drained);
    // Another upload may have left it.
    body.resume();
    if (body.destroyed) queueMicrotask(this.#closed);
  }

  /** Nothing of it is wanted any more. */
  stop(): void {
    if (this.#over) return;
    this.#detach();
    this.body.destroy();
  }

  /** Another upload is to take the body, of which nothing was read. */
  leave(): void {
    this.#detach();
    this.body.pause();
  }

  readonly #data = (piece: Buffer): void => {
    this.#bytes += piece.length;
    if (this.#length >= 0 && this.#bytes > this.#length)
      return this.#failed(new RequestBodyError('too long'));
    const { socket } = this;
    socket.cork();
    this.#begin();
    const more = this.#length >= 0 ? socket.write(piece) : this.#writeChunk(piece);
    socket.uncork();
    if (!more) this.body.pause();
  };

  #begin(): void {
    if (this.#begun) return;
    const known = this.#length >= 0;
    this.#writeHead(known ? lengthEnding(this.request.method, this.#length) : CHUNKED_ENDING);
  }

  #writeHead(ending: string): void {
    this.#begun = true;
    this.owner.uploadBegun();
    if (!this.#over) this.socket.write(this.head + ending, 'latin1');
  }

  #writeChunk(piece: Buffer): boolean {
    // A chunk of no bytes would be the last one.
    if (piece.length === 0) return true;
    this.socket.write(`${piece.length.toString(16)}\r\n`, 'latin1');
    this.socket.write(piece);
    return this.socket.write('\r\n', 'latin1');
  }

  readonly #ended = (): void => {
    if (this.#length > this.#bytes) return this.#failed(new RequestBodyError('too short'));
    if (!this.#begun) this.#writeHead(lengthEnding(this.request.method, 0));
    else if (this.#length < 0) this.socket.write('0\r\n\r\n', 'latin1');
    this.#detach();
    this.owner.uploadEnded();
  };

  readonly #failed = (cause: Error): void => {
    if (this.#over) return;
    this.stop();
    this.owner.uploadFailed(cause);
  };

  readonly #closed = (): void => this.#failed(this.body.errored ?? new RequestBodyError('cut off'));

  readonly #drained = (): void => void this.body.resume();

  #detach(): void {
    this.#over = true;
    const { body } = this;
    body.off('data', this.#data).off('end', this.#ended).off('close', this.#closed);
    this.socket.off('drain', this.#drained);
    // Its error may come after its end.
    body.off('error', this.#failed).on('error', () => {});
  }
}
