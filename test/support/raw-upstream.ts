import { createServer, type Socket } from 'node:net';

import { closeAtEnd } from './cleanup.js';
import { type ParsedRequest, parseRequests } from './http-request.js';
import { listen, urlOf } from './ports.js';
import { RawSocket } from './raw-socket.js';

/** One connection that the gateway opened to a {@link RawUpstream}. */
export class RawConnection extends RawSocket {
  constructor(
    socket: Socket,
    /** 0 = the first connection of this upstream. */
    readonly index: number,
  ) {
    super(socket);
  }

  /** The requests received so far; the last one may have an incomplete body. */
  get requests(): readonly ParsedRequest[] {
    return parseRequests(this.received).requests;
  }

  /** Waits for the head of the request with this index (0 = the first on this connection). */
  head(index = 0): Promise<ParsedRequest> {
    return this.until(() => this.requests[index], `head of request ${index + 1}`, { timeoutMs: 10_000 });
  }

  /** Waits for the whole request with this index, body included. */
  request(index = 0): Promise<ParsedRequest> {
    const whole = (): ParsedRequest | undefined => this.requests.filter((it) => it.complete)[index];
    return this.until(whole, `request ${index + 1}`, { timeoutMs: 10_000 });
  }
}

export type RawHandler = (connection: RawConnection) => unknown;

/** RAWUP: a plain socket server that writes the bytes it is told to and keeps what it got. */
export class RawUpstream implements AsyncDisposable {
  readonly connections: RawConnection[] = [];
  /** What a handler threw, but for connections that were gone before it was through. */
  readonly failures: unknown[] = [];
  private readonly server;

  constructor(
    private readonly handler: RawHandler,
    readonly host = '127.0.0.1',
  ) {
    this.server = createServer({ noDelay: true }, (socket) => this.accept(socket));
  }

  port = 0;

  get url(): string {
    return urlOf(this.host, this.port);
  }

  /** An entry of `backends`. */
  get backend(): { url: string } {
    return { url: this.url };
  }

  /** All requests of all connections, by connection. */
  get requests(): readonly ParsedRequest[] {
    return this.connections.flatMap((connection) => connection.requests);
  }

  async start(port = 0): Promise<this> {
    this.port = await listen(this.server, this.host, port);
    return this;
  }

  async stop(): Promise<void> {
    for (const connection of this.connections) connection.destroy();
    if (this.server.listening) await new Promise((resolve) => this.server.close(resolve));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  private accept(socket: Socket): void {
    const connection = new RawConnection(socket, this.connections.length);
    this.connections.push(connection);
    Promise.resolve()
      .then(() => this.handler(connection))
      .catch((error: unknown) => {
        if (!connection.closed) this.failures.push(error);
      });
  }
}

/**
 * Starts a RAWUP on a free port. A handler is called once for each connection. A list of replies is sent one
 * for each whole request, counted over all connections; a request beyond the list has its connection reset.
 */
export async function rawUpstream(
  script: RawHandler | readonly (string | Buffer)[],
  options: { host?: string; port?: number } = {},
): Promise<RawUpstream> {
  const handler = typeof script === 'function' ? script : replying(script);
  const upstream = await new RawUpstream(handler, options.host).start(options.port);
  closeAtEnd(() => upstream.stop());
  return upstream;
}

function replying(replies: readonly (string | Buffer)[]): RawHandler {
  let next = 0;
  return async (connection) => {
    for (let index = 0; ; index++) {
      await connection.until(() => connection.requests[index]?.complete, 'a request', { timeoutMs: 60_000 });
      const reply = replies[next++];
      if (reply === undefined) return connection.reset();
      await connection.write(reply);
    }
  };
}
