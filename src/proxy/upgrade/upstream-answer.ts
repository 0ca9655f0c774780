import type { IncomingMessage } from 'node:http';

import type { ResponseSink, ResponseSource } from '../../exchange/response.js';
import type { Deadlined, Deadlines } from '../deadlines.js';
import { headOf } from './handshake-headers.js';

/** Told once how an upstream's answer ended. */
export type AnswerEnded = (cause: Error | null) => void;

/** An upstream's refusal of a handshake on its way to the client: an ordinary response. */
export class UpstreamAnswer implements ResponseSource, Deadlined {
  slot = -1;
  deadline = 0;
  #over = false;

  constructor(
    readonly response: IncomingMessage,
    readonly sink: ResponseSink,
    readonly deadlines: Deadlines,
    /** Longest silence of the upstream, in milliseconds. */
    readonly idleMs: number,
    readonly ended: AnswerEnded,
  ) {}

  pass(): void {
    const { response, sink } = this;
    sink.source = this;
    this.deadlines.watch(this);
    this.#touch();
    response.on('data', (chunk: Buffer) => this.#data(chunk));
    response.on('end', () => this.#end(null));
    response.on('error', (cause) => this.#end(cause));
    sink.head(headOf(response));
  }

  resume(): void {
    this.#touch();
    this.response.resume();
  }

  cancel(): void {
    this.#close(new Error('client closed'));
  }

  expired(): void {
    this.#end(new Error('idle timeout'));
  }

  #touch(): void {
    this.deadline = this.deadlines.clock.now() + this.idleMs;
  }

  #data(chunk: Buffer): void {
    if (this.#over) return;
    this.#touch();
    if (!this.sink.data(chunk)) this.response.pause();
  }

  #end(cause: Error | null): void {
    if (this.#over) return;
    this.#close(cause);
    if (cause === null) this.sink.end(this.response.rawTrailers);
    else this.sink.abort(cause);
  }

  #close(cause: Error | null): void {
    if (this.#over) return;
    this.#over = true;
    this.sink.source = null;
    this.deadlines.forget(this);
    this.response.destroy();
    this.ended(cause);
  }
}
