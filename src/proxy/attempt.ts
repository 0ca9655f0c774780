import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

import type { Backend, PooledConnection, PooledHandler } from '../exchange/upstream.js';
import { isReadable } from './response-headers.js';

/** The exchange that an attempt belongs to. None of these may throw. */
export interface AttemptOwner {
  attemptStarted(): void;
  interim(status: number, headers: IncomingHttpHeaders): void;
  responseHead(status: number, statusText: string, raw: Buffer[], headers: IncomingHttpHeaders): void;
  /** False pauses the upstream until `resume`. */
  responseData(chunk: Buffer): boolean;
  responseEnd(rawTrailers: readonly string[] | null): void;
  attemptFailed(attempt: Attempt, cause: Error): void;
}

/** One request on one connection of one backend: undici's handler, and the backend's in-flight count. */
export class Attempt implements PooledHandler {
  connection: PooledConnection | null = null;
  /** The request was handed to a connected socket: from here on bytes may have been sent. */
  started = false;
  /** A byte of an answer was seen. */
  answering = false;
  /** Its connection had served a request before. */
  wasReused = false;
  #controller: Dispatcher.DispatchController | null = null;
  #over = false;

  constructor(
    readonly owner: AttemptOwner,
    readonly backend: Backend,
    readonly lines: readonly string[],
  ) {
    backend.state.inFlight++;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#over) return void controller.abort(new Error('cancelled'));
    this.#controller = controller;
    this.started = true;
    this.wasReused = this.connection?.reused ?? false;
    this.owner.attemptStarted();
  }

  onResponseStarted(): void {
    this.answering = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    statusText?: string,
  ): void {
    if (this.#over) return;
    if (status < 200) this.owner.interim(status, headers);
    else if (!isReadable(headers)) controller.abort(new Error('unknown transfer coding'));
    else this.owner.responseHead(status, statusText ?? '', controller.rawHeaders as Buffer[], headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#over && !this.owner.responseData(chunk)) controller.pause();
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    const fault = this.connection?.fault;
    if (fault) return this.onResponseError(controller, fault);
    const over = this.#over;
    this.#finish(true);
    if (!over) this.owner.responseEnd(textOf(controller.rawTrailers as Buffer[] | null));
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, cause: Error): void {
    const over = this.#over;
    this.#finish(false);
    if (!over) this.owner.attemptFailed(this, cause);
  }

  /** The pool had no room for it: it never was. */
  refused(): void {
    this.#finish(false);
  }

  resume(): void {
    this.#controller?.resume();
  }

  /** Ends the attempt at once; the owner hears no more of it. */
  abort(cause: Error): void {
    if (this.#over) return;
    this.#end();
    if (this.#controller) this.#controller.abort(cause);
    else if (!this.backend.pool.cancel(this)) this.connection?.destroy(cause);
  }

  #finish(reusable: boolean): void {
    this.#end();
    const { connection } = this;
    this.connection = null;
    connection?.release(reusable);
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.backend.state.inFlight--;
  }
}

function textOf(raw: readonly Buffer[] | null): string[] | null {
  return raw === null || raw.length === 0 ? null : raw.map((bytes) => bytes.toString('latin1'));
}
