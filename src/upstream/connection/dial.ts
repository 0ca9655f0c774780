import { connect, type Socket } from 'node:net';

import type { Dialled, Dialling } from '../../exchange/upstream.js';
import { ConnectTimeoutError, ProxyError, TlsError } from './connect-errors.js';
import { authorityOf, type DialTarget } from './dial-target.js';
import { openTunnel, type Proxy, type TunnelOwner } from './proxy.js';
import type { TlsClient } from './tls-client.js';

/** How one backend is reached. */
export interface DialRoute {
  readonly target: DialTarget;
  /** Null: straight. */
  readonly proxy: Proxy | null;
  /** Longest time until a connection stands, all steps together, in milliseconds. */
  readonly timeoutMs: number;
  readonly noDelay: boolean;
}

/** What goes wrong is told as the fault of who is spoken to. */
type Explain = (cause: Error) => Error;

const KEEP_ALIVE_PROBE_MS = 60_000;

/** One connection on its way: the socket, the tunnel, the handshake, and one time for all of them. */
export class Dial implements Dialling, TunnelOwner {
  #socket: Socket | null = null;
  #over = false;
  /** What it waits for, where a connection takes several steps. */
  #step: string | null = null;
  #explain: Explain = (cause) => cause;
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly route: DialRoute,
    private readonly tls: TlsClient | null,
    private readonly done: Dialled,
  ) {
    this.#timer = setTimeout(() => this.#fail(new ConnectTimeoutError(this.#step)), route.timeoutMs);
    this.#open();
  }

  destroy(): void {
    if (this.#finish()) this.#discard();
  }

  #open(): void {
    const { proxy, target, noDelay } = this.route;
    const { host, port } = proxy ?? target;
    if (proxy !== null) this.#enter(`the proxy ${proxy.name}`, (cause) => new ProxyError(proxy.name, cause));
    const socket = connect({
      host,
      port,
      noDelay,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
    });
    this.#watch(socket);
    socket.once('connect', () => (proxy === null ? this.#connected(socket) : this.#tunnel(socket)));
  }

  #tunnel(socket: Socket): void {
    openTunnel(socket, this.route.proxy!, authorityOf(this.route.target), this);
  }

  tunnelled(socket: Socket): void {
    if (!this.#over) this.#connected(socket);
  }

  tunnelFailed(cause: Error): void {
    this.#fail(this.#explain(cause));
  }

  #connected(socket: Socket): void {
    if (this.tls === null) return this.#succeed(socket);
    this.#enter('the TLS handshake', (cause) => new TlsError(cause));
    this.#unwatch();
    const secured = this.tls.secure(socket);
    this.#watch(secured);
    secured.once('secureConnect', () => this.#succeed(secured));
  }

  #enter(step: string, explain: Explain): void {
    this.#step = step;
    this.#explain = explain;
  }

  #succeed(socket: Socket): void {
    if (!this.#finish()) return;
    this.#unwatch();
    this.done(null, socket);
  }

  #fail(cause: Error): void {
    if (!this.#finish()) return;
    this.#discard();
    this.done(cause, null);
  }

  /** False when it was over already. */
  #finish(): boolean {
    if (this.#over) return false;
    clearTimeout(this.#timer);
    return (this.#over = true);
  }

  #watch(socket: Socket): void {
    this.#socket = socket;
    socket.on('error', this.#failed);
    socket.on('close', this.#closed);
  }

  #unwatch(): void {
    this.#socket!.off('error', this.#failed).off('close', this.#closed);
  }

  #discard(): void {
    // The listeners stay: a destroyed socket may still tell of an error.
    this.#socket?.destroy();
  }

  readonly #failed = (cause: Error): void => this.#fail(this.#explain(cause));
  readonly #closed = (): void => this.#failed(new Error('closed before the connection stood'));
}
