import type {
  Backend,
  Outcome,
  Permit,
  PooledConnection,
  PooledHandler,
  ReceivedHead,
} from '../exchange/upstream.js';
import { isReadable } from './response-headers.js';
import { isClients } from './upstream-fault.js';

/** Bytes of an unwanted body that are read to keep its connection. */
const LONGEST_DISCARDED = 64 * 1024;

/** The exchange that an attempt belongs to. None of these may throw. */
export interface AttemptOwner {
  attemptStarted(): void;
  interim(head: ReceivedHead): void;
  responseHead(head: ReceivedHead): void;
  /** False pauses the upstream until `resume`. */
  responseData(chunk: Buffer): boolean;
  responseEnd(rawTrailers: readonly string[] | null): void;
  attemptFailed(attempt: Attempt, cause: Error): void;
  /** Whether that failure only leads to the same again on a fresh socket, and says nothing of the backend. */
  repeatsFresh(attempt: Attempt, cause: Error): boolean;
}

/** One request on one connection of one backend, and the backend's in-flight count. */
export class Attempt implements PooledHandler {
  connection: PooledConnection | null = null;
  /** The request was handed to a connected socket: from here on bytes may have been sent. */
  started = false;
  /** A byte of an answer was seen. */
  answering = false;
  /** Its connection had served a request before. */
  wasReused = false;
  /** The backend has it no more. */
  #over = false;
  /** The owner hears no more of it. */
  #silent = false;
  #unread = LONGEST_DISCARDED;
  #outcome: Outcome = 'success';
  #permit: Permit | null;
  /** Set when the gateway itself gave it up. */
  #abortedAs: Outcome | null = null;

  constructor(
    readonly owner: AttemptOwner,
    readonly backend: Backend,
    readonly lines: readonly string[],
  ) {
    this.#permit = backend.begin();
  }

  requestStarted(): void {
    this.started = true;
    this.wasReused = this.connection!.reused;
    this.owner.attemptStarted();
  }

  answerBegan(): void {
    this.answering = true;
  }

  headReceived(head: ReceivedHead): void {
    if (this.#silent) return;
    if (head.status < 200) return this.owner.interim(head);
    this.#headed(head.status);
    if (isReadable(head)) this.owner.responseHead(head);
    else this.connection!.abort(new Error('unknown transfer coding'));
  }

  bodyReceived(piece: Buffer): void {
    if (this.#silent) this.#read(piece.length);
    else if (!this.owner.responseData(piece)) this.connection?.pause();
  }

  responseEnded(trailers: readonly string[] | null): void {
    const silent = this.#silent;
    this.#finish(true, this.#outcome);
    if (!silent) this.owner.responseEnd(trailers);
  }

  failed(cause: Error): void {
    const silent = this.#silent;
    const tells = !isClients(cause) && !this.owner.repeatsFresh(this, cause);
    this.#finish(false, this.#abortedAs ?? (tells ? 'failure' : 'abandoned'));
    if (!silent) this.owner.attemptFailed(this, cause);
  }

  /** The pool had no room for it: it never was. */
  refused(): void {
    this.#finish(false, 'abandoned');
  }

  /** The client's body is on its way, or is there. */
  uploading(on: boolean): void {
    this.#permit?.uploading(on);
  }

  /** The body may never end: what its head says is all there is to judge. */
  judge(): void {
    this.#permit?.settle(this.#outcome);
    this.#permit = null;
  }

  /** The owner needs the answer no more. A short rest is read, so that the connection can serve again. */
  discard(): void {
    this.#silent = true;
    this.judge();
  }

  resume(): void {
    this.connection?.resume();
  }

  /** Ends the attempt at once; the owner hears no more of it. */
  abort(cause: Error, outcome: Outcome): void {
    this.#silent = true;
    if (this.#over) return;
    this.#abortedAs = outcome;
    // The backend first: whoever gets this one's place must not be one too many there.
    if (this.connection === null) this.backend.pool.cancel(this);
    else this.connection.abort(cause);
    this.#end(outcome);
  }

  #read(bytes: number): void {
    this.#unread -= bytes;
    if (this.#unread < 0) this.connection?.abort(new Error('too long to discard'));
  }

  #headed(status: number): void {
    if (this.#permit === null) return;
    this.#outcome = this.backend.breaker!.outcomeOf(status);
    if (this.#outcome === 'success') this.#permit.headed();
    else this.judge();
  }

  #finish(reusable: boolean, outcome: Outcome): void {
    this.#silent = true;
    const { connection } = this;
    this.connection = null;
    // First, so that whoever gets this one's place at the backend finds its connection.
    connection?.release(reusable);
    this.#end(outcome);
  }

  #end(outcome: Outcome): void {
    if (this.#over) return;
    this.#over = true;
    this.backend.end(this.#permit, outcome);
  }
}
