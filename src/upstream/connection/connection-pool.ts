import { systemClock } from '../../common/clock.js';
import { durationMs } from '../../common/duration.js';
import type { ConnectionConfig } from '../../config/upstream.config.js';
import type {
  ConnectionPool,
  Dialled,
  Dialling,
  PooledHandler,
  UpstreamRequest,
} from '../../exchange/upstream.js';
import { type ConnectionOwner, Http1Connection } from '../http1/http1-connection.js';
import type { Dialer } from './dialer.js';

/** A connection is given up so long before its backend would, in milliseconds: a request takes a while to get there. */
const KEEP_ALIVE_MARGIN_MS = 2_000;

/**
 * The connections to one backend, the latest used first, so that idle ones can age and close
 * (docs/decisions/0005-connection-pool.md).
 */
export class BackendConnectionPool implements ConnectionPool, ConnectionOwner {
  readonly authority: string;
  readonly #keepAliveMs: number;
  readonly #idle: Http1Connection[] = [];
  readonly #waiting = new Map<PooledHandler, UpstreamRequest>();
  #open = 0;
  #closed = false;
  #sweeping: NodeJS.Timeout | null = null;

  constructor(
    origin: URL,
    private readonly config: Readonly<ConnectionConfig>,
    private readonly dialer: Dialer,
  ) {
    this.authority = origin.host;
    this.#keepAliveMs = durationMs(config.keep_alive);
  }

  dispatch(request: UpstreamRequest, handler: PooledHandler, fresh = false): boolean {
    const connection = fresh ? this.#connect() : (this.#rested() ?? this.#connectWithinLimit());
    if (connection) {
      connection.run(request, handler);
      return true;
    }
    if (this.#waiting.size >= this.config.max_pending) return false;
    this.#waiting.set(handler, request);
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
    if (this.#sweeping !== null) clearTimeout(this.#sweeping);
    this.#sweeping = null;
    for (const connection of this.#idle.splice(0)) this.#drop(connection);
  }

  /** A request ended: the connection serves the longest waiting one, or rests. */
  released(connection: Http1Connection, reusable: boolean): void {
    if (!reusable || !connection.alive || this.#isOneTooMany) this.#drop(connection);
    else if (!this.#serveWaiting(connection)) this.#rest(connection);
  }

  /** The pool is closed, or a fresh connection was opened beyond the limit. */
  get #isOneTooMany(): boolean {
    return (this.#closed && this.#waiting.size === 0) || this.#open > this.config.max_connections;
  }

  dropped(connection: Http1Connection): void {
    const at = this.#idle.indexOf(connection);
    if (at === -1) return;
    this.#idle.splice(at, 1);
    this.#drop(connection);
  }

  #rest(connection: Http1Connection): void {
    const forMs = Math.min(this.#keepAliveMs, allowedMs(connection.keepAlive));
    if (forMs <= 0) return this.#drop(connection);
    connection.idleUntil = systemClock.now() + forMs;
    this.#idle.push(connection);
    if (this.#sweeping === null) this.#sweeping = setTimeout(this.#sweep, forMs).unref();
  }

  /** The latest used, unless its time is over and the timer late. */
  #rested(): Http1Connection | null {
    for (let connection = this.#idle.pop(); connection; connection = this.#idle.pop()) {
      if (systemClock.now() < connection.idleUntil) return connection;
      this.#drop(connection);
    }
    return null;
  }

  readonly #sweep = (): void => {
    this.#sweeping = null;
    const now = systemClock.now();
    for (const connection of this.#idle.filter(({ idleUntil }) => idleUntil <= now)) this.dropped(connection);
    if (this.#idle.length === 0) return;
    const next = Math.min(...this.#idle.map(({ idleUntil }) => idleUntil));
    this.#sweeping = setTimeout(this.#sweep, Math.ceil(next - now)).unref();
  };

  #connectWithinLimit(): Http1Connection | null {
    return this.#open < this.config.max_connections ? this.#connect() : null;
  }

  #connect(): Http1Connection {
    this.#open++;
    return new Http1Connection(this);
  }

  #drop(connection: Http1Connection): void {
    this.#open--;
    connection.end();
    if (this.#waiting.size > 0 && this.#open < this.config.max_connections)
      this.#serveWaiting(this.#connect());
  }

  #serveWaiting(connection: Http1Connection): boolean {
    for (const [handler, request] of this.#waiting) {
      this.#waiting.delete(handler);
      connection.run(request, handler);
      return true;
    }
    return false;
  }
}

/** How long a backend that says so leaves an idle connection open, less a margin (RFC 2068 §19.7.1.1). */
function allowedMs(keepAlive: string | null): number {
  const seconds = keepAlive === null ? null : /(?:^|[\s,])timeout=(\d+)/i.exec(keepAlive);
  return seconds === null ? Infinity : Number(seconds[1]) * 1_000 - KEEP_ALIVE_MARGIN_MS;
}
