import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import type { Backend, Outcome, Permit } from '../../exchange/upstream.js';
import type { FailedAttempt } from '../attempts/attempts.js';
import { isClients } from '../upstream-fault.js';
import { ClientEnd } from './client-end.js';

/** The handshake that an attempt belongs to. None of these may throw. */
export interface HandshakeOwner {
  attemptFailed(attempt: HandshakeAttempt, cause: Error): void;
  /** The upstream answered with anything but 101. */
  answered(attempt: HandshakeAttempt, response: IncomingMessage): void;
  /** The upstream answered 101; what it sends next is on its way to the attempt's `clientEnd`. */
  switched(attempt: HandshakeAttempt, response: IncomingMessage, upstream: Socket): void;
}

/** One handshake with one backend, and the backend's in-flight count until all that comes of it is over. */
export class HandshakeAttempt implements FailedAttempt {
  readonly clientEnd = new ClientEnd(this);
  /** The connection stands: from here on bytes may have been sent. */
  started = false;
  readonly answering = false;
  readonly wasReused = false;
  #request: ClientRequest | null = null;
  /** Null once the backend is judged: by its answer's head, as a tunnel may last. */
  #permit: Permit | null;
  #phase: 'asking' | 'answered' | 'switched' | 'over' = 'asking';

  constructor(
    readonly owner: HandshakeOwner,
    readonly backend: Backend,
  ) {
    this.#permit = backend.begin();
  }

  /** http-proxy-middleware made the request; its own listeners come after these. */
  requested(request: ClientRequest): void {
    if (this.#phase === 'over') return void request.on('error', () => {}).destroy();
    this.#request = request;
    // The pool dials it: a request gets its socket once that is connected.
    request.once('socket', () => (this.started = true));
    request.once('response', (response) => this.#answered(response));
    request.once('upgrade', (response, socket: Socket) => this.#switched(response, socket));
  }

  failed(cause: Error): void {
    if (this.#phase === 'switched') this.clientEnd.owner?.upstreamFailed(cause);
    else if (this.#phase === 'asking') {
      this.#judge(isClients(cause) ? 'abandoned' : 'failure');
      this.release();
      this.owner.attemptFailed(this, cause);
    }
  }

  /** Ends it all; the owner hears no more of it. */
  abort(outcome: Outcome = 'abandoned'): void {
    if (this.#phase === 'over') return;
    this.#judge(outcome);
    this.release();
    this.#request?.destroy();
  }

  /** What came of the attempt is over. */
  release(): void {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.backend.end(this.#permit, 'abandoned');
    this.clientEnd.destroy();
  }

  #answered(response: IncomingMessage): void {
    if (this.#phase !== 'asking') return void response.destroy();
    this.#phase = 'answered';
    this.#judge(this.backend.breaker?.outcomeOf(response.statusCode ?? 0) ?? 'success');
    // httpxy writes such answers to the socket by itself; to a destroyed one it does not.
    this.clientEnd.destroy();
    this.owner.answered(this, response);
  }

  #switched(response: IncomingMessage, socket: Socket): void {
    if (this.#phase !== 'asking') return void socket.destroy();
    this.#phase = 'switched';
    this.#judge('success');
    this.owner.switched(this, response, socket);
  }

  #judge(outcome: Outcome): void {
    this.#permit?.settle(outcome);
    this.#permit = null;
  }
}
