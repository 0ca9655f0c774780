import type { Socket } from 'node:net';

import { normaliseIp } from '../common/cidr.js';
import type { Refusal } from '../exchange/refusal.js';
import type { ResponseWriter } from './response-writer.js';

/**
 * A client's socket as the path sees it. What is known once for the whole connection is kept here and not worked
 * out anew for each request.
 */
export class ClientConnection {
  /** The peer's address, IPv4 unmapped. */
  readonly address: string;
  readonly port: number;
  readonly localPort: number;
  readonly secure: boolean;
  /** The responses that this socket still owes; more than one only when the client pipelines. */
  readonly #writers: ResponseWriter[] = [];

  constructor(readonly socket: Socket) {
    this.address = normaliseIp(socket.remoteAddress ?? '') ?? '';
    this.port = socket.remotePort ?? 0;
    this.localPort = socket.localPort ?? 0;
    this.secure = 'encrypted' in socket;
    // A half-closed client counts as gone (behaviour.md, Bodies): node only tells requests whose body is unread.
    socket.on('end', () => {
      for (const writer of this.#writers.slice()) writer.clientHalfClosed();
    });
    socket.on('close', () => {
      for (const writer of this.#writers.slice()) writer.socketClosed();
    });
  }

  /**
   * The parser gave up on what the client sends: the exchange whose body it was is refused or cut. False when
   * nothing is under way on this socket.
   */
  refuse(refusal: Refusal): boolean {
    const writers = this.#writers.slice();
    for (const writer of writers) writer.refuse(refusal);
    return writers.length > 0;
  }

  add(writer: ResponseWriter): void {
    this.#writers.push(writer);
  }

  remove(writer: ResponseWriter): void {
    const at = this.#writers.indexOf(writer);
    if (at !== -1) this.#writers.splice(at, 1);
  }
}

const CONNECTION = Symbol('clientConnection');
type TrackedSocket = Socket & { [CONNECTION]?: ClientConnection };

/** The connection of a socket; made at its first use. */
export function connectionOf(socket: Socket): ClientConnection {
  return ((socket as TrackedSocket)[CONNECTION] ??= new ClientConnection(socket));
}
