import type { EventEmitter } from 'node:events';

import { type buildConnector, Client, type Dispatcher } from 'undici';

import { durationMs } from '../../common/duration.js';
import type { ConnectionConfig } from '../../config/upstream.config.js';
import type {
  ConnectionPool,
  Dialled,
  Dialling,
  PooledConnection,
  PooledHandler,
} from '../../exchange/upstream.js';
import type { Dialer } from './dialer.js';
import { dispatchWithLines, fixedOrigin } from './header-lines.js';

/** A name that never changes; what TLS asks for is the dialer's to say. */
const SERVER_NAME = { servername: 'backend' };

/** Largest response head accepted of an upstream, in bytes. */
const MAX_RESPONSE_HEAD = 64 * 1024;

/**
 * The sockets to one backend: one undici `Client` each, the latest used first, so that idle ones can age and
 * close. undici's own `Pool` counts its queue nowhere, cannot be asked for a fresh socket, and does not say
 * whether a socket was used before (docs/decisions/0005-connection-pool.md).
 */
export class BackendConnectionPool implements ConnectionPool {
  readonly #options: Client.Options;
  readonly #origin: URL;
  readonly #secure: boolean;
  readonly #idle: Connection[] = [];
  readonly #waiting = new Map<PooledHandler, Dispatcher.DispatchOptions>();
  #open = 0;
  #closed = false;

  constructor(
    origin: URL,
    private readonly config: Readonly<ConnectionConfig>,
    private readonly dialer: Dialer,
  ) {
    this.#origin = fixedOrigin(origin);
    this.#secure = origin.protocol === 'https:';
    const keepAlive = durationMs(config.keep_alive);
    this.#options = {
      pipelining: 1,
      // The exchange's own deadlines watch head and body.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: keepAlive,
      keepAliveMaxTimeout: keepAlive,
      maxHeaderSize: MAX_RESPONSE_HEAD,
    };
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: PooledHandler, fresh = false): boolean {
    // Else undici takes the name from Host, which may be the client's, and gives up a socket whenever that changes.
    if (this.#secure) Object.assign(options, SERVER_NAME);
    const connection = fresh ? this.#connect() : (this.#idle.pop() ?? this.#connectWithinLimit());
    if (connection) {
      connection.run(options, handler);
      return true;
    }
    if (this.#waiting.size >= this.config.max_pending) return false;
    this.#waiting.set(handler, options);
    return true;
  }

  cancel(handler: PooledHandler): boolean {
    return this.#waiting.delete(handler);
  }

  dial(done: Dialled, bare = false): Dialling {
    return this.dialer.dial(done, bare);
  }

  close(): void {
    this.#closed = true;
    for (const connection of this.#idle.splice(0)) this.#drop(connection);
  }

  #connectWithinLimit(): Connection | null {
    return this.#open < this.config.max_connections ? this.#connect() : null;
  }

  #connect(): Connection {
    this.#open++;
    const client = (connect: buildConnector.connector): Client =>
      new Client(this.#origin, { ...this.#options, connect });
    return new Connection(client, this.dialer, this.#released, this.#dropped);
  }

  /** A request ended: the connection serves the longest waiting one, or rests. */
  readonly #released = (connection: Connection, reusable: boolean): void => {
    if (!reusable || !connection.alive || (this.#closed && this.#waiting.size === 0)) this.#drop(connection);
    else if (!this.#serveWaiting(connection)) this.#idle.push(connection);
  };

  /** An idle connection was closed by either side. */
  readonly #dropped = (connection: Connection): void => {
    const at = this.#idle.indexOf(connection);
    if (at === -1) return;
    this.#idle.splice(at, 1);
    this.#drop(connection);
  };

  #drop(connection: Connection): void {
    this.#open--;
    connection.end();
    if (this.#waiting.size > 0 && this.#open < this.config.max_connections)
      this.#serveWaiting(this.#connect());
  }

  #serveWaiting(connection: Connection): boolean {
    for (const [handler, options] of this.#waiting) {
      this.#waiting.delete(handler);
      connection.run(options, handler);
      return true;
    }
    return false;
  }
}

/** One undici client, which holds at most one socket and one request. */
class Connection implements PooledConnection {
  reused = false;
  alive = true;
  fault: Error | null = null;
  readonly client: Client;
  #dialling: Dialling | null = null;

  constructor(
    clientWith: (connect: buildConnector.connector) => Client,
    readonly dialer: Dialer,
    readonly released: (connection: Connection, reusable: boolean) => void,
    dropped: (connection: Connection) => void,
  ) {
    const client = (this.client = clientWith(this.#connect));
    client.on('disconnect', () => {
      this.alive = false;
      dropped(this);
    });
    // undici reports a handler that threw here; ours turn every fault into an answer, and nothing may kill the process.
    (client as EventEmitter).on('error', () => {
      this.alive = false;
    });
  }

  run(options: Dispatcher.DispatchOptions, handler: PooledHandler): void {
    handler.connection = this;
    dispatchWithLines(this.client, options, handler);
  }

  release(reusable: boolean): void {
    this.reused = true;
    this.released(this, reusable);
  }

  destroy(cause: Error): void {
    this.alive = false;
    this.#dialling?.destroy();
    void this.client.destroy(cause);
  }

  /** undici takes a reset for the end of a body that is delimited by the close, so the socket's own word is kept. */
  readonly #connect: buildConnector.connector = (_options, callback) => {
    this.#dialling = this.dialer.dial((...result) => {
      this.#dialling = null;
      this.fault = null;
      result[1]?.once('error', (error) => (this.fault = error));
      callback(...result);
    });
  };

  /** Not at once: the client may be in the middle of telling its handler that the response ended. */
  end(): void {
    this.alive = false;
    queueMicrotask(() => void this.client.destroy());
  }
}
