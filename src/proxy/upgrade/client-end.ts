import { Duplex } from 'node:stream';

import type { HandshakeAttempt } from './handshake-attempt.js';

/** The tunnel that a client's end belongs to once the protocol is switched. */
export interface ClientEndOwner {
  /** The head of the 101, to be sent as it is. */
  switchedHead(text: string): void;
  /** Bytes for the client; `done` asks for more. */
  fromUpstream(bytes: Buffer, done: () => void): void;
  /** The upstream takes more of what the client sends. */
  upstreamWants(): void;
  /** The upstream has sent all it had. */
  upstreamEnded(): void;
  /** The upstream's socket broke. */
  upstreamFailed(cause: Error): void;
}

/**
 * What http-proxy-middleware is given for the client's socket, one for each attempt: it ends and destroys its socket
 * whenever an attempt fails, and the client's own must live on for the next backend, or for the gateway's answer.
 */
export class ClientEnd extends Duplex {
  owner: ClientEndOwner | null = null;

  constructor(readonly attempt: HandshakeAttempt) {
    super({ decodeStrings: false });
    this.on('error', () => {});
  }

  override _read(): void {
    this.owner?.upstreamWants();
  }

  override _write(chunk: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    if (typeof chunk !== 'string') {
      if (this.owner) this.owner.fromUpstream(chunk, done);
      else done();
      return;
    }
    // Nothing but the head is written as text.
    this.owner?.switchedHead(chunk);
    done();
  }

  override _final(done: () => void): void {
    this.owner?.upstreamEnded();
    done();
  }

  // What is asked of a socket. The client's own was set up when it came in.

  setTimeout(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }
}
