import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { connectionOf } from '../client-connection.js';
import { UpgradingClient } from './upgrading-client.js';

/** How long, in milliseconds, a client may take to read a refusal and to close. */
const LINGER_MS = 1_000;

/**
 * Whether a request that may be upgraded is for a WebSocket. Node asks for each one; whatever else is in `Upgrade`
 * is ignored and the request served as an ordinary one (RFC 9110 §7.8), also what only looks like a handshake: with
 * a body, over HTTP/1.0, or pipelined behind a request that has no answer yet.
 */
export function shouldUpgrade(request: IncomingMessage): boolean {
  if (isHandshake(request)) return true;
  if (!endsItsChunk(request)) connectionOf(request.socket).endsWithNext = true;
  return false;
}

function isHandshake(request: IncomingMessage): boolean {
  return (
    request.method === 'GET' &&
    request.headers.upgrade?.toLowerCase() === 'websocket' &&
    request.httpVersionMinor === 1 &&
    !hasBody(request) &&
    !answering(request.socket)
  );
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/**
 * Node's parser stops behind a request whose upgrade is declined and loses the rest of what it was reading (seen with
 * 26.10): the next request, or a piece of it. So the connection stays only where nothing can have stood there.
 */
function endsItsChunk(request: IncomingMessage): boolean {
  const { parser } = request.socket as Socket & {
    parser?: { getCurrentBuffer?(): Buffer | undefined } | null;
  };
  const chunk = parser?.getCurrentBuffer?.();
  if (chunk === undefined || chunk.length < 4 || hasBody(request)) return false;
  return chunk.indexOf('\r\n\r\n') === chunk.length - 4;
}

/**
 * Makes an upgrade request one that the rest of the path can treat like any other: a response for it, which closes
 * the connection when it is out, and the client's first bytes kept safe.
 */
export function acceptUpgrade(request: IncomingMessage, socket: Socket, head: Buffer): ServerResponse {
  const client = new UpgradingClient(socket, head);
  connectionOf(socket).upgrading = client;
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  // For ordinary requests node does both of these, with listeners that it has taken off this socket.
  socket.on('drain', () => response.emit('drain'));
  response.once('finish', () => {
    response.detachSocket(socket);
    closeGently(client);
    response.destroyed = true;
    response.emit('close');
  });
  return response;
}

/** Closing a socket with unread bytes would reset it, and the reset can overtake the answer (RFC 9112 §9.6). */
function closeGently(client: UpgradingClient): void {
  const { socket } = client;
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  client.discard();
  socket.end();
}

/** Node marks the socket with the response that has it. */
function answering(socket: Socket & { _httpMessage?: ServerResponse | null }): boolean {
  // oxlint-disable-next-line no-underscore-dangle -- node has no other word for it
  return Boolean(socket._httpMessage);
}
