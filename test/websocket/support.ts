import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import { type ClientOptions, type RawData, type ServerOptions, WebSocket, WebSocketServer } from 'ws';

import { closeAtEnd, type TestGateway, waitFor } from '../support/index.js';

/** A WebSocket of a test, from either side: what came in, in order. */
export class Peer {
  readonly messages: (string | Buffer)[] = [];
  readonly pings: string[] = [];
  closed: { code: number; reason: string } | null = null;

  constructor(readonly socket: WebSocket) {
    socket.on('message', (data: RawData, binary) =>
      this.messages.push(binary ? (data as Buffer) : (data as Buffer).toString()),
    );
    socket.on('ping', (data) => this.pings.push(String(data)));
    socket.on('error', () => {});
    socket.on('close', (code, reason) => (this.closed = { code, reason: String(reason) }));
  }

  send(data: string | Buffer): void {
    this.socket.send(data);
  }

  /** Waits for the message with this index (0 = the first). */
  async message(index = 0): Promise<string | Buffer> {
    await waitFor(() => this.messages.length > index, `message ${index + 1}`);
    return this.messages[index]!;
  }

  untilClosed(timeoutMs = 5_000): Promise<{ code: number; reason: string }> {
    return waitFor(() => this.closed, 'closed', { timeoutMs });
  }
}

/** A server of WebSockets behind the gateway; echoes unless told otherwise. */
export class WsUpstream {
  readonly peers: Peer[] = [];
  /** The upgrade requests that came, refused ones included. */
  readonly requests: IncomingMessage[] = [];
  readonly sockets = new Set<Socket>();
  readonly server = createServer((_request, response) => response.writeHead(426).end('upgrade, please'));

  constructor(options: ServerOptions, onPeer: (peer: Peer) => void) {
    const webSockets = new WebSocketServer({ noServer: true, ...options });
    this.server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    this.server.on('upgrade', (request, socket, head) => {
      this.requests.push(request);
      webSockets.handleUpgrade(request, socket, head, (ws) => {
        const peer = new Peer(ws);
        this.peers.push(peer);
        onPeer(peer);
      });
    });
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get backend(): { url: string } {
    return { url: `http://127.0.0.1:${this.port}` };
  }

  get last(): IncomingMessage | undefined {
    return this.requests.at(-1);
  }

  stop(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

export async function wsUpstream(
  options: ServerOptions = {},
  onPeer: (peer: Peer) => void = echo,
): Promise<WsUpstream> {
  const upstream = new WsUpstream(options, onPeer);
  upstream.server.listen(0, '127.0.0.1');
  await once(upstream.server, 'listening');
  closeAtEnd(() => upstream.stop());
  return upstream;
}

function echo({ socket }: Peer): void {
  socket.on('message', (data, binary) => socket.send(data, { binary }));
}

export interface OpenOptions extends ClientOptions {
  readonly protocols?: string[];
}

/** Begins a handshake through the gateway. */
export function dial(
  gateway: TestGateway,
  path: string,
  { protocols = [], ...options }: OpenOptions = {},
): Peer {
  const peer = new Peer(new WebSocket(`ws://127.0.0.1:${gateway.port}${path}`, protocols, options));
  closeAtEnd(() => peer.socket.terminate());
  return peer;
}

/** Opens a WebSocket through the gateway. */
export async function open(gateway: TestGateway, path = '/ws', options?: OpenOptions): Promise<Peer> {
  const peer = dial(gateway, path, options);
  await once(peer.socket, 'open');
  return peer;
}

export interface Refused {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Begins a handshake that must not succeed, and returns the answer. */
export async function refused(gateway: TestGateway, path = '/ws', options?: OpenOptions): Promise<Refused> {
  const { socket } = dial(gateway, path, options);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return { status: response.statusCode!, headers: response.headers, body };
}

/** The head of a handshake, for sockets without a WebSocket library. */
export function handshake(path: string, ...lines: string[]): string {
  return [
    `GET ${path} HTTP/1.1`,
    'Host: gw.example',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ...lines,
    '',
    '',
  ].join('\r\n');
}

export const SWITCHED = [
  'HTTP/1.1 101 Switching Protocols',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=',
  '',
  '',
].join('\r\n');

/** A text frame as a server sends it; up to 125 bytes. */
export function textFrame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)]);
}

/** A text frame as a client sends it, with an all-zero mask; up to 125 bytes. */
export function maskedFrame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
}
