import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import { type WebSocket, WebSocketServer } from 'ws';

import { reset } from './reset.js';

/** What becomes of a WebSocket; the client asks for it in `X-Ws`. */
export const WEBSOCKET_FATES = {
  echo: 40,
  idle: 10,
  killed: 15,
  reset: 10,
  closed: 10,
  refused: 5,
  silent: 3,
  garbage: 5,
} as const;
export type WebSocketFate = keyof typeof WEBSOCKET_FATES;

/** The close code that `closed` ends with, after its third message. */
export const CLOSE_CODE = 4321;

/** The upstream's end of WebSockets. */
export class WebSocketBackend {
  readonly #server = new WebSocketServer({ noServer: true });

  take(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const fate = request.headers['x-ws'] as WebSocketFate;
    const tag = String(request.headers['x-tag']);
    if (fate === 'refused') {
      const body = 'not here';
      socket.end(`HTTP/1.1 403 Forbidden\r\nX-Tag: ${tag}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    } else if (fate === 'garbage') socket.end('HTTP/1.1 1O1 Switching\r\n\r\n');
    else if (fate === 'silent') socket.resume();
    else this.#server.handleUpgrade(request, socket, head, (webSocket) => live(webSocket, socket, fate));
  }
}

function live(webSocket: WebSocket, socket: Socket, fate: WebSocketFate): void {
  let messages = 0;
  webSocket.on('error', () => {});
  webSocket.on('message', (data, isBinary) => {
    messages++;
    webSocket.send(data as Buffer, { binary: isBinary });
    if (messages < 3) return;
    if (fate === 'killed') socket.destroy();
    else if (fate === 'reset') reset(socket);
    else if (fate === 'closed') webSocket.close(CLOSE_CODE, 'enough');
  });
}
