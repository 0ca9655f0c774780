import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { Inject, Injectable } from '@nestjs/common';
import { createProxyMiddleware, type Plugin, type RequestHandler } from 'http-proxy-middleware';

import type { Clock } from '../../common/clock.js';
import { EXCHANGE_LOG, type ExchangeLog } from '../../exchange/event-log.js';
import type { Exchange } from '../../exchange/exchange.js';
import { overloaded, Refusal } from '../../exchange/refusal.js';
import type { ResponseSink } from '../../exchange/response.js';
import { RetryCounts } from '../attempts/retry-counts.js';
import { Deadlines } from '../deadlines.js';
import type { ForwardPlan } from '../forward-plan.js';
import { ClientEnd } from './client-end.js';
import { Handshake, type HandshakeHost } from './handshake.js';
import type { HandshakeRequest } from './handshake-headers.js';
import { WebSocketSlots } from './websocket-slots.js';

const NO_BYTES = Buffer.alloc(0);

/**
 * Takes upgrades to WebSocket upstream: the end of the chain for them. http-proxy-middleware sends the handshake and
 * carries the tunnel; which backend, what headers, how long, and what a failure means is said here.
 */
@Injectable()
export class WebSocketForwarder implements HandshakeHost {
  readonly clock: Clock;
  readonly #proxy: RequestHandler<DialledRequest>;

  constructor(
    readonly deadlines: Deadlines,
    @Inject(EXCHANGE_LOG) readonly log: ExchangeLog,
    readonly retries: RetryCounts,
    readonly slots: WebSocketSlots,
  ) {
    this.clock = deadlines.clock;
    this.#proxy = createProxyMiddleware<DialledRequest>({
      ws: true,
      router: ({ toBackend }, _response, options) => {
        options.agent = new OneSocket(toBackend);
        return OVER_THAT_SOCKET;
      },
      ejectPlugins: true,
      plugins: [tellAttempts],
    });
  }

  /** Throws a Refusal when no upgrade may pass. */
  forward(exchange: Exchange, sink: ResponseSink, plan: ForwardPlan): void {
    const { enabled, maxConnections } = plan.webSocket;
    if (!enabled) throw new Refusal('forbidden', { detail: 'this route takes no WebSockets' });
    const place = this.slots.take(exchange.route!, maxConnections);
    if (place === null) throw overloaded();
    try {
      new Handshake(exchange, sink, plan, place, this).begin();
    } catch (error) {
      place.release();
      throw error;
    }
  }

  /** The socket is opened like those of other requests to the backend: through its proxy, with its TLS settings. */
  upgrade(request: HandshakeRequest, client: ClientEnd): void {
    const dialling = request.backend.pool.dial((error, socket) => {
      client.off('close', giveUp);
      if (error !== null) return client.attempt.failed(error);
      // Its error is told to who uses it; it may come before that.
      socket.on('error', () => {});
      const dialled = Object.assign(request, { toBackend: socket });
      // It has all that is asked of a socket.
      this.#proxy.upgrade(dialled, client as Duplex as Socket, NO_BYTES);
    });
    const giveUp = (): void => dialling.destroy();
    client.once('close', giveUp);
  }
}

interface DialledRequest extends HandshakeRequest {
  readonly toBackend: Socket;
}

/** Where node's client is to go: its agent has the socket already, TLS and all. */
const OVER_THAT_SOCKET = new URL('http://backend');

/** Gives one request the socket that was opened for it. */
class OneSocket extends Agent {
  constructor(private readonly socket: Socket) {
    super();
  }

  override createConnection(): Socket {
    return this.socket;
  }
}

/** Whatever httpxy tells about a socket goes to the attempt that the socket was made for. */
const tellAttempts: Plugin<DialledRequest> = (server) => {
  server.on('proxyReqWs', (request, _request, client) => {
    const end: Duplex = client;
    if (end instanceof ClientEnd) end.attempt.requested(request);
  });
  server.on('error', (cause, _request, client) => {
    if (client instanceof ClientEnd) client.attempt.failed(cause);
  });
};
