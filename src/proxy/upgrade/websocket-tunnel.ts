import type { Socket } from 'node:net';

import type { ExchangeLog } from '../../exchange/event-log.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { Reason } from '../../exchange/reasons.js';
import type { ResponseSink, Tunnel } from '../../exchange/response.js';
import { connectionOf } from '../client-connection.js';
import type { Deadlined, Deadlines } from '../deadlines.js';
import type { ClientEnd, ClientEndOwner } from './client-end.js';
import { CLOSE_TO_CLIENT, closeToUpstream } from './close-frame.js';
import { FrameBorders } from './frame-borders.js';
import type { HandshakeAttempt } from './handshake-attempt.js';
import type { UpgradingClient } from './upgrading-client.js';
import type { WebSocketSlot } from './websocket-slots.js';

/** How long, in milliseconds, both sides have to close once one of them or the gateway has begun to. */
const CLOSING_MS = 2_000;

export interface TunnelParts {
  readonly exchange: Exchange;
  readonly sink: ResponseSink;
  readonly attempt: HandshakeAttempt;
  readonly upstream: Socket;
  readonly place: WebSocketSlot;
  /** Longest silence of both sides together, in milliseconds; 0 = no bound. */
  readonly idleMs: number;
}

export interface TunnelHost {
  readonly deadlines: Deadlines;
  readonly log: ExchangeLog;
}

/**
 * An open WebSocket. The bytes flow between the sockets by http-proxy-middleware's pipes; this sees them pass between
 * the client's socket and its stand-in ({@link ClientEnd}), which is where it counts, measures silence, and puts a
 * close frame between two others when the gateway ends it.
 */
export class WebSocketTunnel implements Tunnel, ClientEndOwner, Deadlined {
  slot = -1;
  deadline = 0;
  ended: (() => void) | null = null;
  /** `leaving`: the gateway ends it; `ending`: one of the sides does. */
  #phase: 'open' | 'leaving' | 'ending' | 'over' = 'open';
  #headSent = false;
  #clientTold = false;
  #upstreamTold = false;
  #upstreamGone = false;
  #drained: (() => void) | null = null;
  readonly #toClient = new FrameBorders();
  readonly #toUpstream = new FrameBorders();
  readonly #upgrading: UpgradingClient;
  readonly #client: Socket;
  readonly #end: ClientEnd;

  constructor(
    readonly parts: TunnelParts,
    readonly host: TunnelHost,
  ) {
    this.#client = parts.exchange.raw!.socket;
    this.#upgrading = connectionOf(this.#client).upgrading!;
    this.#end = parts.attempt.clientEnd;
  }

  open(): void {
    const { sink, upstream, place } = this.parts;
    this.host.deadlines.watch(this);
    this.#touch();
    place.opened();
    this.#end.owner = this;
    this.#client.on('drain', () => this.#onDrain());
    this.#client.on('end', () => this.#clientEnded());
    this.#client.on('close', (broken) => this.#clientClosed(broken));
    upstream.on('close', () => this.#upstreamClosed());
    sink.switched(this);
    this.#upgrading.readInto((chunk) => this.#fromClient(chunk));
  }

  // From the upstream to the client.

  switchedHead(text: string): void {
    this.#client.write(text, 'latin1');
    this.#headSent = true;
    if (this.#phase === 'leaving') this.#tellThoseAtBorder();
  }

  fromUpstream(bytes: Buffer, done: () => void): void {
    this.#touch();
    if (this.#clientTold || this.#client.destroyed) return done();
    if (this.#phase !== 'leaving') {
      this.#toClient.pass(bytes);
      return this.#send(bytes, done);
    }
    const border = this.#toClient.passToBorder(bytes);
    if (border === -1) return this.#send(bytes, done);
    this.#send(bytes.subarray(0, border), done);
    this.#tellClient();
  }

  upstreamEnded(): void {
    this.#ending('upstream_aborted');
    this.#client.end();
  }

  upstreamFailed(cause: Error): void {
    this.#ending('upstream_aborted', cause);
  }

  #upstreamClosed(): void {
    this.#upstreamGone = true;
    if (!this.#end.writableEnded) this.#end.end();
    // Nobody takes what the client still sends; its end must be seen all the same.
    this.#client.resume();
    this.#settle();
  }

  #send(bytes: Buffer, done: () => void): void {
    this.parts.exchange.bytesWritten += bytes.length;
    if (this.#client.write(bytes)) done();
    else this.#drained = done;
  }

  #onDrain(): void {
    const done = this.#drained;
    this.#drained = null;
    done?.();
  }

  // From the client to the upstream.

  #fromClient(chunk: Buffer): void {
    if (this.#upstreamGone) return;
    this.#touch();
    if (this.#upstreamTold) return this.#afterGoodbye(chunk);
    if (this.#phase !== 'leaving') {
      this.#toUpstream.pass(chunk);
      return this.#push(chunk);
    }
    const border = this.#toUpstream.passToBorder(chunk);
    if (border === -1) return this.#push(chunk);
    this.#push(chunk.subarray(0, border));
    this.#tellUpstream();
    this.#afterGoodbye(chunk.subarray(border));
  }

  upstreamWants(): void {
    this.#client.resume();
  }

  #push(chunk: Buffer): void {
    if (!this.#end.push(chunk)) this.#client.pause();
  }

  #clientEnded(): void {
    this.#ending('client_closed');
    this.#end.push(null);
  }

  #clientClosed(broken: boolean): void {
    this.#ending('client_closed');
    this.#onDrain();
    if (broken || !this.#client.readableEnded) this.parts.upstream.destroy();
    this.#settle();
  }

  // The gateway ends it.

  goAway(): void {
    if (this.#phase !== 'open') return;
    this.#phase = 'leaving';
    this.deadline = this.#now + CLOSING_MS;
    if (this.#headSent) this.#tellThoseAtBorder();
  }

  cut(): void {
    if (this.#phase === 'over') return;
    this.#client.destroy();
    this.parts.upstream.destroy();
    this.#finish();
  }

  expired(): void {
    if (this.#phase === 'open') return this.goAway();
    if (this.#phase === 'leaving' && !(this.#clientTold && this.#upstreamTold)) {
      this.parts.exchange.reason ??= 'upstream_aborted';
    }
    this.cut();
  }

  #tellThoseAtBorder(): void {
    if (this.#toClient.atBorder) this.#tellClient();
    if (this.#toUpstream.atBorder) this.#tellUpstream();
  }

  #tellClient(): void {
    this.#clientTold = true;
    if (this.#toClient.closeSeen) return;
    this.#client.write(CLOSE_TO_CLIENT);
    this.parts.exchange.bytesWritten += CLOSE_TO_CLIENT.length;
  }

  #tellUpstream(): void {
    this.#upstreamTold = true;
    if (!this.#toUpstream.closeSeen && !this.#client.readableEnded) this.#push(closeToUpstream());
  }

  /** What the client says after the upstream was told has one use: its own close frame ends its connection. */
  #afterGoodbye(chunk: Buffer): void {
    this.#toUpstream.pass(chunk);
    if (this.#clientTold && this.#toUpstream.closeSeen) this.#client.end();
  }

  // Ends.

  /** A side closes. Without a close frame before it that is a fault of that side's (RFC 6455 §7.1.5, 1006). */
  #ending(reason: Reason, cause: Error = new Error('closed without a close frame')): void {
    if (this.#phase !== 'open') return;
    this.#phase = 'ending';
    this.deadline = this.#now + CLOSING_MS;
    if (this.#toClient.closeSeen || this.#toUpstream.closeSeen) return;
    const { exchange } = this.parts;
    exchange.reason ??= reason;
    if (reason === 'upstream_aborted') this.host.log.upstreamRequestFailed(exchange, cause, reason);
  }

  #settle(): void {
    if (this.#upstreamGone && this.#client.closed) this.#finish();
  }

  #finish(): void {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.host.deadlines.forget(this);
    this.parts.place.release();
    this.parts.attempt.release();
    this.ended?.();
  }

  get #now(): number {
    return this.host.deadlines.clock.now();
  }

  #touch(): void {
    if (this.#phase === 'open' && this.parts.idleMs > 0) this.deadline = this.#now + this.parts.idleMs;
  }
}
