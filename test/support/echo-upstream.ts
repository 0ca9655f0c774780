import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { closeAtEnd } from './cleanup.js';
import { type HeaderLine, valuesOf } from './http-message.js';
import { listen, urlOf } from './ports.js';

/** A request as the ECHO upstream got it, and its answer's JSON. */
export interface Echo {
  readonly method: string;
  /** The request target, byte for byte. */
  readonly url: string;
  /** Name, value, name, value, … as received. */
  readonly rawHeaders: readonly string[];
  readonly bodyBytes: number;
  readonly sha256: string;
  /** Which connection (1 = the first) and which request on it. */
  readonly connId: number;
  readonly reqNo: number;
}

export interface EchoOptions {
  readonly host?: string;
  readonly port?: number;
  /** Answers instead of the echo, after the body was read. Return false for the echo after all. */
  readonly respond?: (
    request: IncomingMessage,
    response: ServerResponse,
    echo: Echo,
  ) => false | void | Promise<void>;
  /** Takes the request over before its body is read; return true to have handled it. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/**
 * ECHO: answers 200 with what it received, and keeps it. `/health` answers `healthStatus` and is counted in
 * `probes` alone.
 */
export class EchoUpstream implements AsyncDisposable {
  /** Requests whose body has arrived whole, in order; health probes are not among them. */
  readonly requests: Echo[] = [];
  /** Status of the next answers. */
  status = 200;
  /** Further headers of the next answers. */
  headers: Record<string, string | string[]> = {};
  /** Milliseconds to wait before the next answers. */
  delayMs = 0;
  healthStatus = 200;
  probes = 0;
  /** Requests whose head has arrived. */
  started = 0;
  /** Requests whose client went before the answer was complete. */
  aborted = 0;
  port = 0;
  private readonly server = createServer((request, response) => this.onRequest(request, response));
  private readonly sockets = new Map<Socket, { connId: number; requests: number }>();
  private connections = 0;

  constructor(private readonly options: EchoOptions = {}) {
    // Tests decide about idle sockets; Node's own 5 s would race with them.
    this.server.keepAliveTimeout = 0;
    this.server.requestTimeout = 0;
    this.server.on('connection', (socket) => this.onConnection(socket));
  }

  get url(): string {
    return urlOf(this.options.host ?? '127.0.0.1', this.port);
  }

  /** An entry of `backends`. */
  get backend(): { url: string } {
    return { url: this.url };
  }

  /** Connections ever opened to it. */
  get connectionCount(): number {
    return this.connections;
  }

  get openConnections(): number {
    return this.sockets.size;
  }

  get last(): Echo | undefined {
    return this.requests.at(-1);
  }

  /** Begins to listen, again on the same port after a `stop`. */
  async start(): Promise<this> {
    this.port = await listen(this.server, this.options.host, this.port || this.options.port || 0);
    return this;
  }

  /** Stops listening and cuts every connection: from now on connections are refused. */
  async stop(): Promise<void> {
    for (const socket of this.sockets.keys()) socket.destroy();
    if (this.server.listening) await new Promise((resolve) => this.server.close(resolve));
  }

  /** Cuts the open connections with RST and goes on listening. */
  resetConnections(): void {
    for (const socket of this.sockets.keys()) socket.resetAndDestroy();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  private onConnection(socket: Socket): void {
    this.sockets.set(socket, { connId: ++this.connections, requests: 0 });
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
  }

  private onRequest(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.sockets.get(request.socket)!;
    const reqNo = ++connection.requests;
    if (request.url === '/health') return this.onProbe(response);
    this.started += 1;
    response.on('close', () => {
      if (!response.writableFinished) this.aborted += 1;
    });
    if (this.options.intercept?.(request, response)) return;
    void this.answer(request, response, { connId: connection.connId, reqNo });
  }

  private onProbe(response: ServerResponse): void {
    this.probes += 1;
    response.writeHead(this.healthStatus).end();
  }

  private async answer(
    request: IncomingMessage,
    response: ServerResponse,
    ids: Pick<Echo, 'connId' | 'reqNo'>,
  ): Promise<void> {
    const body = await digest(request);
    if (body === null) return;
    const { method = '', url = '', rawHeaders } = request;
    const echo: Echo = { method, url, rawHeaders, ...body, ...ids };
    this.requests.push(echo);
    if (this.delayMs > 0) await delay(this.delayMs);
    if (this.options.respond && (await this.options.respond(request, response, echo)) !== false) return;
    response
      .writeHead(this.status, { 'content-type': 'application/json', ...this.headers })
      .end(JSON.stringify(echo));
  }
}

/** Starts an ECHO on a free port. */
export async function echoUpstream(options: EchoOptions = {}): Promise<EchoUpstream> {
  const upstream = await new EchoUpstream(options).start();
  closeAtEnd(() => upstream.stop());
  return upstream;
}

/** All values of a header in an echo (or any flat list of raw headers), in order. */
export function echoedHeader(echo: Pick<Echo, 'rawHeaders'>, name: string): string[] {
  return valuesOf(pairs(echo.rawHeaders), name);
}

export function pairs(rawHeaders: readonly string[]): HeaderLine[] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, index) => [
    rawHeaders[2 * index]!,
    rawHeaders[2 * index + 1]!,
  ]);
}

/** Null when the client went before the body was whole. */
async function digest(request: IncomingMessage): Promise<Pick<Echo, 'bodyBytes' | 'sha256'> | null> {
  const hash = createHash('sha256');
  let bodyBytes = 0;
  try {
    for await (const chunk of request) {
      bodyBytes += (chunk as Buffer).length;
      hash.update(chunk as Buffer);
    }
  } catch {
    return null;
  }
  return { bodyBytes, sha256: hash.digest('hex') };
}
